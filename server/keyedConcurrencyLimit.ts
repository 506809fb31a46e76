import { rateLimited } from './errors.ts';

export type KeyedConcurrencyLimit = {
  /**
   * @param work - receives the number of other runs of this key under way
   * @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work
   */
  run<T>(key: string, work: (othersUnderWay: number) => Promise<T>): Promise<T>;
};

export const BUSY_RETRY_AFTER_MS = 1_000;

export function createKeyedConcurrencyLimit({ maxAtOnce }: { maxAtOnce: number }): KeyedConcurrencyLimit {
  const underWay = new Map<string, number>();

  return {
    async run(key, work) {
      const others = underWay.get(key) ?? 0;
      if (others >= maxAtOnce) throw rateLimited('Too many requests at once', BUSY_RETRY_AFTER_MS);
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
