import type { StreamTimes } from './openStream.ts';

/** A warning tells how to correct what works here but not for partners. */
export type Finding = string | { warning: string };

/** Writes the line of one check, `FAILED` where `look` throws. */
export type Report = (name: string, look: () => Promise<Finding>) => Promise<void>;

export type CheckContext = {
  clock(): Date;
  signal: AbortSignal;
  streamTimes: StreamTimes;
  report: Report;
};
