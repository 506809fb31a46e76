import PQueue from 'p-queue';
import { type CodedError, rateLimited } from '../errors.ts';

/**
 * Runs the work when its turn comes: those of a higher priority first.
 * @throws {CodedError} `RATE_LIMITED` when too many of this priority wait already, or the turn does not come in time
 */
export type SignInQueue = <T>(work: () => Promise<T>, priority: number) => Promise<T>;

const RETRY_AFTER_MS = 1_000;

/** A queue that runs `concurrency` sign-ins at once. */
export function createSignInQueue({
  concurrency,
  maxWaiting,
  maxWaitMs,
}: {
  concurrency: number;
  /** For each priority. */
  maxWaiting: number;
  /** Some are refused sooner, from half of it on, so that a crowd does not come back all at once. */
  maxWaitMs: number;
}): SignInQueue {
  const queue = new PQueue({ concurrency });
  return async (work, priority) => {
    if (queue.sizeBy({ priority }) >= maxWaiting) throw tooMany();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMany()), maxWaitMs * (0.5 + Math.random() / 2));
    const start = () => {
      clearTimeout(timer);
      return work();
    };
    return queue.add(start, { priority, signal: waiting.signal });
  };
}

function tooMany(): CodedError {
  return rateLimited('Too many sign in at once', RETRY_AFTER_MS);
}
