import type { StreamTimes } from './streamCheck.ts';

export type Finding = string | { warning: string };

/** Writes the line of one part; none where `look` finds nothing to say. */
export type CheckPart = (name: string, look: () => Finding | null | Promise<Finding | null>) => Promise<void>;

export type CheckContext = {
  clock(): Date;
  streamTimes: StreamTimes;
  /** The origins of our page by `PUBLIC_HOST`; empty where that is not set. */
  pageOrigins: readonly string[];
  checkPart: CheckPart;
};
