import { rateLimited } from './errors.ts';

export type LimitPerGroup = {
  /**
   * @param work - receives the number of other runs of this group under way
   * @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work
   */
  run<T>(group: string, work: (othersUnderWay: number) => Promise<T>): Promise<T>;
};

export const BUSY_RETRY_AFTER_MS = 1_000;

export function createLimitPerGroup({ maxAtOnce }: { maxAtOnce: number }): LimitPerGroup {
  const underWay = new Map<string, number>();

  return {
    async run(group, work) {
      const others = underWay.get(group) ?? 0;
      if (others >= maxAtOnce) throw rateLimited('Too many requests at once', BUSY_RETRY_AFTER_MS);
      underWay.set(group, others + 1);
      try {
        return await work(others);
      } finally {
        const left = (underWay.get(group) ?? 0) - 1;
        if (left > 0) underWay.set(group, left);
        else underWay.delete(group);
      }
    },
  };
}
