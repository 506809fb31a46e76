import type { StreamTimes } from './openStream.ts';

export type Finding = string | { warning: string };

/** Writes the line of one check, `FAILED` where `look` throws. */
export type Report = (name: string, look: () => Promise<Finding>) => Promise<void>;

export type CheckContext = {
  clock(): Date;
  signal: AbortSignal;
  streamTimes: StreamTimes;
  report: Report;
};
