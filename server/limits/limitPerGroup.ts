import { rateLimited } from '../errors.ts';

export type Reservation = {
  /** How many others of the group were under way at that moment. */
  others: number;
  /** Call it once, when the work is over. */
  release(): void;
};

export type LimitPerGroup = {
  /** @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds` when the group has too many under way */
  reserve(group: string): Reservation;
  /** Reserves for the time of the work. */
  run<T>(group: string, work: () => Promise<T>): Promise<T>;
};

export const BUSY_RETRY_AFTER_MS = 1_000;

export function createLimitPerGroup({ maxAtOnce }: { maxAtOnce: number }): LimitPerGroup {
  const underWay = new Map<string, number>();

  function reserve(group: string): Reservation {
    const others = underWay.get(group) ?? 0;
    if (others >= maxAtOnce) throw rateLimited('Too many requests at once', BUSY_RETRY_AFTER_MS);
    underWay.set(group, others + 1);
    return {
      others,
      release() {
        const left = (underWay.get(group) ?? 0) - 1;
        if (left > 0) underWay.set(group, left);
        else underWay.delete(group);
      },
    };
  }

  return {
    reserve,
    async run(group, work) {
      const { release } = reserve(group);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
