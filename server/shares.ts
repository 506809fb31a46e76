import { rateLimited } from './errors.ts';

/** A share of something scarce for every key, such as an account or a network. Counted by this instance, in memory. */
export type Share = {
  /**
   * Runs the work if fewer than `maxAtOnce` of this key are under way, and counts it until it ends.
   * @param work is told how many others of this key are under way
   * @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work
   */
  run<T>(key: string, work: (othersUnderWay: number) => Promise<T>): Promise<T>;
};

const RETRY_AFTER_MS = 1_000;

/**
 * Creates a share that stands before a queue or a semaphore: that one bounds the total, the share what one caller may hold of it,
 * so that no caller keeps the others out.
 */
export function createShare({ maxAtOnce }: { maxAtOnce: number }): Share {
  const underWay = new Map<string, number>();

  return {
    async run(key, work) {
      const others = underWay.get(key) ?? 0;
      if (others >= maxAtOnce) throw rateLimited('Too many requests at once', RETRY_AFTER_MS);
      underWay.set(key, others + 1);
      try {
        return await work(others);
      } finally {
        const left = (underWay.get(key) ?? 0) - 1;
        if (left > 0) underWay.set(key, left);
        else underWay.delete(key);
      }
    },
  };
}
