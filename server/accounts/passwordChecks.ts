import { availableParallelism } from 'node:os';
import { CodedError } from '../errors.ts';
import { verifyPassword } from './password.ts';

/** Whether the account signed in before in the browser that asks. */
export type Browser = 'known' | 'unknown';

export type PasswordChecks = {
  /** Whether a check for such a browser would be taken now. */
  hasRoom(browser: Browser): boolean;
  /**
   * `verifyPassword` when its turn comes; known browsers come first.
   * @throws {CodedError} `RATE_LIMITED` when too many wait already
   */
  check(passwordHash: string | null, password: string, browser: Browser): Promise<boolean>;
};

/** libuv's threads, on which argon2 runs and files and host names are read. */
const LIBUV_THREADS = 4;

/** Leaves a core to the event loop, and a thread to everything else. */
const CHECKS_AT_ONCE = Math.max(1, Math.min(availableParallelism(), LIBUV_THREADS) - 1);

/** About half a second's work. */
const MAX_WAITING = 50 * CHECKS_AT_ONCE;

const RETRY_AFTER_SECONDS = 1;

/** Password checks, few at once and few waiting: a flood of sign-ins slows nothing but sign-ins. */
export function createPasswordChecks({
  atOnce = CHECKS_AT_ONCE,
  maxWaiting = MAX_WAITING,
  verify = verifyPassword,
} = {}): PasswordChecks {
  const waiting: Record<Browser, Array<() => void>> = { known: [], unknown: [] };
  let free = atOnce;

  function hasRoom(browser: Browser): boolean {
    return free > 0 || waiting[browser].length < maxWaiting;
  }

  return {
    hasRoom,
    async check(passwordHash, password, browser) {
      if (!hasRoom(browser)) throw tooManyChecks();
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting[browser].push(resolve));
      try {
        return await verify(passwordHash, password);
      } finally {
        const next = waiting.known.shift() ?? waiting.unknown.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

/** The refusal of an attempt to sign in while too many others wait. */
export function tooManyChecks(): CodedError {
  return new CodedError('RATE_LIMITED', 'Too many are signing in, try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
