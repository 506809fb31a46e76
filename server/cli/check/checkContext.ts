import type { StreamTimes } from './streamCheck.ts';

export type Finding = string | { warning: string };

export type CheckPart = (name: string, look: () => Promise<Finding>) => Promise<void>;

export type CheckContext = {
  clock(): Date;
  signal: AbortSignal;
  streamTimes: StreamTimes;
  /** The origins of our page by `PUBLIC_HOST`; empty where that is not set. */
  pageOrigins: readonly string[];
  checkPart: CheckPart;
};
