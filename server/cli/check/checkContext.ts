import type { StreamTimes } from './streamCheck.ts';

export type Finding = string | { warning: string };

export type CheckPart = (name: string, look: () => Promise<Finding>) => Promise<void>;

export type CheckContext = {
  clock(): Date;
  signal: AbortSignal;
  streamTimes: StreamTimes;
  /** The origin of our page by `PUBLIC_HOST`; null where that is not set. */
  pageOrigin: string | null;
  checkPart: CheckPart;
};
