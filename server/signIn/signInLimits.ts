import { availableParallelism } from 'node:os';

const MINUTE_MS = 60_000;

/** The window of every count, which begins with the first attempt, and so the longest lockout. */
export const SIGN_IN_WINDOW_MINUTES = 15;
export const SIGN_IN_WINDOW_MS = SIGN_IN_WINDOW_MINUTES * MINUTE_MS;

/** Attempts within a window (docs/decisions/0009-sign-in-limits.md). */
export const SIGN_IN_LIMITS = {
  /** For one username from one network. */
  account: 5,
  /** For one network, whatever the username. */
  network: 100,
  /** For one browser in which the account signed in before. */
  browser: 5,
  /** For all these browsers of an account together. */
  browsers: 20,
};
export type SignInLimits = typeof SIGN_IN_LIMITS;

/** Sign-ins under way at once, running or waiting. */
export const MAX_AT_ONCE = {
  /** Per network, or per account in known browsers; enough for a studio's people at kick-off. */
  caller: 12,
  /** Per username in unknown browsers. Higher than `caller`, so that one network cannot use it up. */
  username: 24,
  largeNetwork: 24,
};

/** libuv's threads, on which argon2 runs, files are read and host names resolved. */
const LIBUV_THREADS = 4;
export const SIGN_IN_QUEUE = {
  /** One more than cores, at most 3, so that file reads and DNS keep a libuv thread. */
  maxRunning: Math.min(availableParallelism() + 1, LIBUV_THREADS - 1),
  /** For each priority; high, because refused callers retry at once. */
  maxWaiting: 1_000,
  /** If the database goes silent after this wait, the caller is answered after 2.9 s (docs/decisions/0016-database-time-limits.md). */
  maxWaitMs: 1_600,
};

/** Networks from which sign-ins to one account may fail in a window without an alarm; a partner who forgot a password needs fewer. */
export const MAX_FAILING_NETWORKS = 10;
