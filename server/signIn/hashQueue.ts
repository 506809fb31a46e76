import PQueue from 'p-queue';
import { BUSY_RETRY_AFTER_MS } from '../concurrency/limitPerGroup.ts';
import { rateLimited } from '../errors.ts';
import { HASH_QUEUE } from './signInLimits.ts';

/**
 * Creates the queue in which passwords wait to be hashed, the highest priority first. It throws `RATE_LIMITED` after
 * waiting too long, or when too many of the same priority wait.
 */
export function createHashQueue({
  maxRunning = HASH_QUEUE.maxRunning,
  maxWaiting = HASH_QUEUE.maxWaiting,
  maxWaitMs = HASH_QUEUE.maxWaitMs,
}: {
  maxRunning?: number | undefined;
  maxWaiting?: number | undefined;
  maxWaitMs?: number | undefined;
} = {}) {
  const queue = new PQueue({ concurrency: Math.min(maxRunning, HASH_QUEUE.maxRunning) });

  return async <T>(priority: number, hash: () => Promise<T>): Promise<T> => {
    if (queue.sizeBy({ priority }) >= maxWaiting) throw tooMany();
    const waiting = new AbortController();
    // A random time, so that refused clients do not all come back at once.
    const timer = setTimeout(() => waiting.abort(tooMany()), maxWaitMs * (0.5 + Math.random() / 2));
    const start = () => {
      clearTimeout(timer);
      return hash();
    };
    return queue.add(start, { priority, signal: waiting.signal });
  };
}

function tooMany() {
  return rateLimited('AT_ONCE', 'Too many sign in at once', BUSY_RETRY_AFTER_MS);
}
