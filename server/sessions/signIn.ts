import type { KeyObject } from 'node:crypto';
import { credentialErrors, USERNAME_ERROR } from '../../shared/credentialRules.ts';
import { createPasswordChecks, type PasswordChecks, tooManyChecks } from '../accounts/passwordChecks.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { type Counted, createAttemptCounts, type Limit } from './attemptCounts.ts';
import { makeDeviceToken, readDeviceToken } from './deviceToken.ts';
import { networkOf } from './networkOf.ts';
import type { Session, Sessions } from './sessions.ts';

export type SignInAttempt = {
  username: string;
  password: string;
  /** The request's address, IPv4 or IPv6. */
  address: string;
  /** The device cookie as sent, not yet believed. */
  deviceToken: string | null;
};

export type SignedIn = {
  session: Session;
  jwt: string;
  /** What the browser is known by from now on. */
  device: { token: string; expiry: Date };
};

/**
 * Starts a session for the account with exactly this username and password (specification, sections 4 and 5).
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

const SIGN_IN_LIMITS: SignInLimits = {
  account: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
  address: { maxAttempts: 100, windowMs: 24 * HOUR_MS },
  device: { maxAttempts: 5, windowMs: 15 * MINUTE_MS },
};

const NEVER_IN_A_USERNAME = /[\p{Cc}\p{Cs}]/u;

/** Signing in, with the attempts counted before a password is checked (docs/decisions/0009-sign-in-limits.md). */
export function createSignIn({
  prisma,
  sessions,
  key,
  clock,
  limits = SIGN_IN_LIMITS,
  passwordChecks = createPasswordChecks(),
}: {
  prisma: PrismaClient;
  sessions: Sessions;
  key: KeyObject;
  clock: () => Date;
  limits?: SignInLimits | undefined;
  passwordChecks?: PasswordChecks;
}): SignIn {
  const counts = createAttemptCounts(prisma, key, clock);

  return async ({ username, password, address, deviceToken }) => {
    refuseBadInput(username, password);
    const account = await prisma.account.findUnique({
      where: { username },
      select: { id: true, company: true, passwordHash: true, disabled: true },
    });
    const device = deviceToken === null ? null : readDeviceToken(deviceToken, key, clock());
    const isKnown = device !== null && device.accountId === account?.id;
    const browser = isKnown ? 'known' : 'unknown';
    if (!passwordChecks.hasRoom(browser)) throw tooManyChecks();

    const network = networkOf(address);
    const own: Counted = isKnown
      ? { limit: limits.device, subject: ['device', device.id] }
      : { limit: limits.account, subject: ['account', username, network] };
    const shared: Counted[] = isKnown ? [] : [{ limit: limits.address, subject: ['address', network] }];
    const opensAt = await counts.count([own, ...shared]);
    if (opensAt !== null) throw tooManyAttempts(opensAt, clock());

    const matches = await passwordChecks.check(account?.passwordHash ?? null, password, browser);
    const started = account !== null && !account.disabled && matches ? await sessions.start(account) : null;
    if (started === null) throw new CodedError('INVALID_CREDENTIALS', 'Credenciales invalidas');
    await counts.clear(own);
    return { ...started, device: makeDeviceToken(started.session.id, key, clock()) };
  };
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
