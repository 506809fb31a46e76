import PQueue from 'p-queue';
import { type CodedError, rateLimited } from '../errors.ts';

/**
 * Runs the work when its turn comes; work of a higher priority goes first.
 * @throws {CodedError} `RATE_LIMITED` when too many of this priority wait already, or the turn does not come in time
 */
export type SignInQueue = <T>(work: () => Promise<T>, priority: number) => Promise<T>;

const RETRY_AFTER_MS = 1_000;

/** Creates a queue that runs `concurrency` sign-ins at once. */
export function createSignInQueue({
  concurrency,
  maxWaiting,
  maxWaitMs,
}: {
  concurrency: number;
  /** The limit for each priority. */
  maxWaiting: number;
  /** Each waits a random time between half of it and all of it, so that refused callers do not all come back at once. */
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
