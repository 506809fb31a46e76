import { availableParallelism } from 'node:os';
import {
  credentialErrors,
  INVALID_CREDENTIALS_MESSAGE,
  USERNAME_ERROR,
} from '../../shared/credentialRules.ts';
import type { Query } from '../database/database.ts';
import { CodedError } from '../errors.ts';
import { type BrowserCounts, type Counts, createAttemptCounts, type Limit } from './attempts.ts';
import { type KnownBrowser, readDeviceJwt, signDeviceJwt } from './knownBrowser.ts';
import { networkOf } from './networkOf.ts';
import { verifyPassword } from './password.ts';
import { createTurns } from './prioritySemaphore.ts';
import type { Session, Sessions } from './sessions.ts';
import type { SigningKeys } from './signedJwt.ts';

export type SignInAttempt = {
  username: string;
  password: string;
  /** The request's address, IPv4 or IPv6. */
  address: string;
  /** The device cookie as sent, not yet believed. */
  deviceJwt: string | null;
  /** The JWT of the session that the new one takes the place of, as sent, not yet believed. */
  replacedJwt?: string | null;
  /** Told the id of the account that goes by the username, whatever becomes of the attempt; for the log alone. */
  onAccount?: (id: string) => void;
};

export type SignedIn = {
  session: Session;
  jwt: string;
  /** What the browser is known by from now on. */
  device: { jwt: string; expiry: Date };
};

/**
 * Starts a session, in place of the one that the request came with, for the account with exactly this username and password
 * (specification, sections 4 and 5).
 * @throws {CodedError} `BAD_USER_INPUT` with the form's message; `RATE_LIMITED` with `retryAfterSeconds`, nothing having
 *   been checked; `INVALID_CREDENTIALS`, the same whether the username is unknown, the password wrong or the account disabled
 */
export type SignIn = (attempt: SignInAttempt) => Promise<SignedIn>;

export type SignInLimits = {
  /** For one username from one address. */
  account: Limit;
  /** For one address, whatever the username. */
  address: Limit;
  /** For one browser in which the account signed in before; instead of the other two. */
  device: Limit;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const SIGN_IN_LIMITS: SignInLimits = {
  account: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
  address: { maxAttempts: 100, windowMs: 24 * HOUR_MS },
  device: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
};

const NEVER_IN_A_USERNAME = /[\p{Cc}\p{Cs}]/u;

/** libuv's threads, on which argon2 runs and files and host names are read. */
const LIBUV_THREADS = 4;

/** Every core, but a thread is left to everything else. The event loop gets its turn all the same: it never has one for long. */
const HASHES_AT_ONCE = Math.max(1, Math.min(availableParallelism(), LIBUV_THREADS - 1));

/** Enough to keep the hashes busy; most of the database's connections are left to those who are signed in. */
const SIGN_INS_BESIDE_HASHES = 3;

/** More than a flood has connections at most times, for whoever is refused at once comes back at once. */
const MAX_SIGN_INS_WAITING = 1_000;
/** With a database that is silent then, it is 2.9 s until the answer (docs/decisions/0016-database-time-limits.md). */
const MAX_WAIT_MS = 1_600;

/**
 * Signing in, with the attempts counted before a password is checked, and only so much of it at once that a flood slows
 * nothing but sign-ins (docs/decisions/0009-sign-in-limits.md).
 */
export function createSignIn({
  query,
  sessions,
  keys,
  clock,
  limits = SIGN_IN_LIMITS,
}: {
  query: Query;
  sessions: Sessions;
  keys: SigningKeys;
  clock: () => Date;
  limits?: SignInLimits | undefined;
}): SignIn {
  const counts = createAttemptCounts(query, keys.current, clock);
  const signIns = createTurns({
    // No more than one account may try, or attempts that are all right would use its limit up before any of them succeeds.
    atOnce: Math.min(
      HASHES_AT_ONCE + SIGN_INS_BESIDE_HASHES,
      limits.account.maxAttempts,
      limits.device.maxAttempts,
    ),
    maxWaiting: MAX_SIGN_INS_WAITING,
    maxWaitMs: MAX_WAIT_MS,
  });
  const hashes = createTurns({ atOnce: HASHES_AT_ONCE });

  async function signIn(attempt: SignInAttempt, device: KnownBrowser | null): Promise<SignedIn> {
    const { username, password, address, replacedJwt, onAccount } = attempt;
    const network = networkOf(address);
    const stranger: Counts = {
      own: { limit: limits.account, subject: ['account', username, network] },
      shared: [{ limit: limits.address, subject: ['address', network] }],
    };
    const browser: BrowserCounts | null = device && {
      accountId: device.accountId,
      credentialsVersion: device.credentialsVersion,
      own: { limit: limits.device, subject: ['device', device.id] },
      shared: [],
    };
    const { account, isKnown, opensAt } = await counts.begin(username, stranger, browser);
    if (account !== null) onAccount?.(account.id);
    if (opensAt !== null) throw tooManyAttempts(opensAt, clock());

    const passwordHash = account?.passwordHash ?? null;
    const matches = await hashes.run(() => verifyPassword(passwordHash, password), isKnown);
    if (account === null || account.disabled || !matches) throw invalidCredentials();
    const started = await sessions.start(account, replacedJwt);
    if (started === null) throw invalidCredentials();
    await counts.refundAttempt(isKnown && browser ? browser : stranger);
    return { ...started, device: signDeviceJwt(account, keys, clock()) };
  }

  return async (attempt) => {
    refuseBadInput(attempt.username, attempt.password);
    const { deviceJwt } = attempt;
    const device = deviceJwt === null ? null : readDeviceJwt(deviceJwt, keys, clock());
    return signIns.run(() => signIn(attempt, device), device !== null);
  };
}

function invalidCredentials(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', INVALID_CREDENTIALS_MESSAGE);
}

function refuseBadInput(username: string, password: string): void {
  const errors = credentialErrors(username, password);
  // PostgreSQL takes neither a NUL nor half a surrogate pair.
  if (NEVER_IN_A_USERNAME.test(username)) errors.username = USERNAME_ERROR;
  const error = errors.username ?? errors.password;
  if (error !== undefined) throw new CodedError('BAD_USER_INPUT', error);
}

function tooManyAttempts(opensAt: Date, now: Date): CodedError {
  const retryAfterSeconds = Math.max(1, Math.ceil((opensAt.getTime() - now.getTime()) / 1000));
  return new CodedError('RATE_LIMITED', 'Too many attempts to sign in', { retryAfterSeconds });
}
