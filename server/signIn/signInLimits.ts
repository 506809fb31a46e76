import { availableParallelism } from 'node:os';
import { MINUTE_MS } from '../../shared/durations.ts';

/*
 * A sign-in passes, in this order: the queue that is fair to networks (http/fairQueue.ts); the limits of what runs at
 * once, in memory (signInSlots.ts); the counts of failures, in the database (attemptCounts.ts), where the attempts of
 * one browser, or of one username from one network, wait for each other from the third on; the queue for hashing (hashQueue.ts); the start
 * of the session (sessions.ts).
 */

export const SIGN_IN_WINDOW_MINUTES = 15;
export const SIGN_IN_WINDOW_MS = SIGN_IN_WINDOW_MINUTES * MINUTE_MS;

/** Failures in a window. A known browser is one in which the account signed in (docs/decisions/0009-sign-in-limits.md). */
export const SIGN_IN_LIMITS = {
  usernameInNetwork: 5,
  network: 100,
  knownBrowser: 5,
  allKnownBrowsers: 20,
};

export const MAX_AT_ONCE = {
  /** Per network, or per account in known browsers; enough for a studio's people at kick-off. */
  networkOrAccount: 12,
  /** Per username in unknown browsers. Higher than `networkOrAccount`, so that one IPv4 address or /64 cannot use it up. */
  username: 24,
  largeNetwork: 24,
  /**
   * Per instance, of one known browser, or of one username from one network; others wait. Two instances together stay
   * below the limit of 5, so that right passwords sent at once do not refuse each other.
   */
  counted: 2,
};

const LIBUV_THREADS = 4;
export const HASH_QUEUE = {
  /** One more than cores, at most 3, so that file reads and DNS keep a libuv thread. */
  maxRunning: Math.min(availableParallelism() + 1, LIBUV_THREADS - 1),
  /** Of each priority. It is high, because refused clients retry at once. */
  maxWaiting: 1_000,
  maxWaitMs: 1_600,
};
