import { networksOf } from '../http/networksOf.ts';
import type { KnownBrowser } from './deviceJwt.ts';

const MINUTE_MS = 60_000;

/** At most `maxAttempts` within `windowMs`, which begins with the first of them. */
export type Limit = { maxAttempts: number; windowMs: number };

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

/** The limits of attempts (docs/decisions/0009-sign-in-limits.md). */
export const SIGN_IN_LIMITS: SignInLimits = {
  account: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
  network: { maxAttempts: 100, windowMs: 15 * MINUTE_MS },
  browser: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
  browsers: { maxAttempts: 20, windowMs: 15 * MINUTE_MS },
};

/** The maximum number of sign-ins under way at once. */
export const SIGN_IN_SHARES = {
  /** For one network, or for the known browsers of one account: room for a studio's people at kick-off. */
  ofOne: 12,
  /** For one username in unknown browsers, or for an IPv6 /48: more than one network has, so that none can fill it alone. */
  ofMany: 24,
};

/** The attempts counted against one limit, for one subject such as a network. */
export type Counter = { limit: keyof SignInLimits; subject: readonly (string | number)[] };

/**
 * Counters of one attempt: success resets `own` and takes this attempt back from `shared`. Each covers all subjects of the one
 * before it.
 */
export type Counters = { own: Counter; shared: readonly Counter[] };

/**
 * Returns the counters of an attempt in a known browser.
 * @param version - the account's `attemptsVersion`, which `account unlock` raises
 */
export function countersOfBrowser({ id, accountId }: KnownBrowser, version: number): Counters {
  return {
    own: { limit: 'browser', subject: [id, version] },
    shared: [{ limit: 'browsers', subject: [accountId, version] }],
  };
}

/**
 * Returns the counters of an attempt in an unknown browser.
 * @param version - the account's `attemptsVersion`; 0 for an unknown username
 */
export function countersOfNetwork(username: string, version: number, address: string): Counters {
  const networks = networksOf(address);
  return {
    own: { limit: 'account', subject: [username, version, networks[0]] },
    shared: networks.map((network) => ({ limit: 'network', subject: [network] })),
  };
}
