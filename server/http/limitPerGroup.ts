import { rateLimited } from '../errors.ts';

export type Permit = {
  othersUnderWay: number;
  /** Call it once, when the work is over. */
  release(): void;
};

export type LimitPerGroup = {
  /** @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds` when the group has too many under way */
  acquire(group: string): Permit;
  run<T>(group: string, work: () => Promise<T>): Promise<T>;
};

export const BUSY_RETRY_AFTER_MS = 1_000;

export function createLimitPerGroup({ maxAtOnce }: { maxAtOnce: number }): LimitPerGroup {
  const underWay = new Map<string, number>();

  function acquire(group: string): Permit {
    const othersUnderWay = underWay.get(group) ?? 0;
    if (othersUnderWay >= maxAtOnce)
      throw rateLimited('AT_ONCE', 'Too many requests at once', BUSY_RETRY_AFTER_MS);
    underWay.set(group, othersUnderWay + 1);
    return {
      othersUnderWay,
      release() {
        const left = (underWay.get(group) ?? 0) - 1;
        if (left > 0) underWay.set(group, left);
        else underWay.delete(group);
      },
    };
  }

  return {
    acquire,
    async run(group, work) {
      const { release } = acquire(group);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
