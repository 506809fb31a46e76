const MINUTE_MS = 60_000;

/** The window of every sign-in limit, and so the longest lockout. */
export const SIGN_IN_WINDOW_MINUTES = 15;

/** At most `maxAttempts` within `windowMs`, which begins with the first of them. */
export type Limit = { maxAttempts: number; windowMs: number };

/** docs/decisions/0009-sign-in-limits.md */
export type SignInLimits = {
  /** For one username from one network. */
  account: Limit;
  /** For one network, whatever the username. */
  network: Limit;
  /** For one browser in which the account signed in before. */
  browser: Limit;
  /** For all these browsers of an account together. */
  browsers: Limit;
};

const windowMs = SIGN_IN_WINDOW_MINUTES * MINUTE_MS;

export const SIGN_IN_LIMITS: SignInLimits = {
  account: { maxAttempts: 5, windowMs },
  network: { maxAttempts: 100, windowMs },
  browser: { maxAttempts: 5, windowMs },
  browsers: { maxAttempts: 20, windowMs },
};
