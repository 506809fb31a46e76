import { availableParallelism } from 'node:os';
import {
  credentialErrors,
  INVALID_CREDENTIALS_MESSAGE,
  USERNAME_ERROR,
} from '../../shared/credentialRules.ts';
import { CodedError } from '../errors.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { largestNetworkOf, networksOf } from '../http/networksOf.ts';
import { createShare } from '../shares.ts';
import { createAttemptCounts } from './attempts.ts';
import { type KnownBrowser, readDeviceJwt, signDeviceJwt } from './deviceJwt.ts';
import type { SignInObserver } from './guessingAlarm.ts';
import { verifyPassword } from './password.ts';
import type { Session, Sessions } from './sessions.ts';
import type { SigningKeys } from './signedJwt.ts';
import {
  countersOfBrowser,
  countersOfNetwork,
  SIGN_IN_LIMITS,
  SIGN_IN_SHARES,
  type SignInLimits,
} from './signInLimits.ts';
import { createSignInQueue } from './signInQueue.ts';

export type SignInAttempt = {
  username: string;
  password: string;
  /** The request's address, IPv4 or IPv6. */
  address: string;
  /** The device cookie as sent, not yet verified. */
  deviceJwt: string | null;
  /** The JWT of the session that the new one replaces, as sent, not yet verified. */
  replacedJwt?: string | null;
  /** Called with the id of the username's account, whatever the outcome; for the log alone. */
  onAccount?: (id: string) => void;
};

export type SignedIn = {
  session: Session;
  jwt: string;
  /** The JWT that makes the browser a known one from now on. */
  device: { jwt: string; expiry: Date };
};

/**
 * Starts a session, replacing the one of the request, for the account with exactly this username and password
 * (specification, sections 4 and 5).
 * @throws {CodedError} `BAD_USER_INPUT` with the form's message; `RATE_LIMITED` with `retryAfterSeconds`, the password unchecked;
 *   `INVALID_CREDENTIALS`, the same whether the username is unknown, the password wrong or the account disabled
 */
export type SignIn = (attempt: SignInAttempt) => Promise<SignedIn>;

/** PostgreSQL takes neither a NUL nor half a surrogate pair. */
const NEVER_IN_A_USERNAME = /[\p{Cc}\p{Cs}]/u;

/** libuv's threads, on which argon2 runs, files are read and host names resolved. */
const LIBUV_THREADS = 4;

/** One for each core and one that waits for the database; leaves a libuv thread to other work. */
const MAX_CONCURRENT_SIGN_INS = Math.min(availableParallelism() + 1, LIBUV_THREADS - 1);

/** Room for the connections of most floods: a caller that is refused at once comes back at once. */
const MAX_SIGN_INS_WAITING = 1_000;
/** Puts a known browser before an unknown one whose caller has as many sign-ins under way. */
const KNOWN_BROWSER_PRIORITY = 1;

/** If the database goes silent after this wait, the caller is answered after 2.9 s (docs/decisions/0016-database-time-limits.md). */
const MAX_WAIT_MS = 1_600;

/**
 * Creates the sign-in. It counts each attempt before it checks the password, and runs few sign-ins at once, so that a flood slows
 * nothing but sign-ins (docs/decisions/0009-sign-in-limits.md).
 */
export function createSignIn({
  prisma,
  sessions,
  keys,
  clock,
  limits = SIGN_IN_LIMITS,
  maxWaitMs = MAX_WAIT_MS,
  observer,
}: {
  prisma: PrismaClient;
  sessions: Sessions;
  keys: SigningKeys;
  clock: () => Date;
  limits?: SignInLimits | undefined;
  /** The time in which a sign-in must get its turn. */
  maxWaitMs?: number | undefined;
  observer?: SignInObserver | undefined;
}): SignIn {
  const { countAttempt, refundAttempt } = createAttemptCounts(prisma, keys.current, limits);
  const inQueue = createSignInQueue({
    // At most as many as one account may attempt: otherwise parallel correct passwords exhaust its limit.
    concurrency: Math.min(MAX_CONCURRENT_SIGN_INS, limits.account.maxAttempts, limits.browser.maxAttempts),
    maxWaiting: MAX_SIGN_INS_WAITING,
    maxWaitMs,
  });
  const ofBrowsers = createShare({ maxAtOnce: SIGN_IN_SHARES.ofOne });
  const ofNetwork = createShare({ maxAtOnce: SIGN_IN_SHARES.ofOne });
  const ofLargeNetwork = createShare({ maxAtOnce: SIGN_IN_SHARES.ofMany });
  const ofUsername = createShare({ maxAtOnce: SIGN_IN_SHARES.ofMany });

  /** Queues the work if the caller's shares allow it. The more sign-ins a caller has under way, the lower the priority. */
  function inTurn<T>(
    { username, address }: SignInAttempt,
    browser: KnownBrowser | null,
    work: () => Promise<T>,
  ) {
    if (browser !== null) {
      // The version keeps cookies of an earlier password from using up this share.
      const { accountId, credentialsVersion } = browser;
      return ofBrowsers.run(`${accountId} ${credentialsVersion}`, (others) =>
        inQueue(work, KNOWN_BROWSER_PRIORITY - others),
      );
    }
    const [network] = networksOf(address);
    return ofNetwork.run(network, (others) =>
      ofLargeNetwork.run(largestNetworkOf(address), () =>
        ofUsername.run(username, () => inQueue(work, -others)),
      ),
    );
  }

  async function signIn(attempt: SignInAttempt, browser: KnownBrowser | null): Promise<SignedIn> {
    const { username, password, address, replacedJwt, onAccount } = attempt;
    const account = await prisma.account.findUnique({ where: { username } });
    if (account !== null) onAccount?.(account.id);
    const isKnown =
      browser !== null &&
      browser.accountId === account?.id &&
      browser.credentialsVersion === account.credentialsVersion;
    const version = account?.attemptsVersion ?? 0;
    const counters = isKnown
      ? countersOfBrowser(browser, version)
      : countersOfNetwork(username, version, address);
    await countAttempt(counters);

    const matches = await verifyPassword(account?.passwordHash ?? null, password);
    if (account === null || account.disabled || !matches) {
      if (account !== null) observer?.onFailure(account.id, largestNetworkOf(address));
      throw invalidCredentials();
    }
    const [started] = await Promise.all([
      sessions.start(account, replacedJwt).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? invalidCredentials() : error;
      }),
      refundAttempt(counters),
    ]);
    return { ...started, device: signDeviceJwt(account, isKnown ? browser : null, keys, clock()) };
  }

  return async (attempt) => {
    refuseBadInput(attempt.username, attempt.password);
    const { deviceJwt } = attempt;
    const browser = deviceJwt === null ? null : readDeviceJwt(deviceJwt, keys, clock());
    return inTurn(attempt, browser, () => signIn(attempt, browser));
  };
}

/** Whether the account was deleted after it was read: the session has no account to belong to. */
function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003';
}

function invalidCredentials(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', INVALID_CREDENTIALS_MESSAGE);
}

function refuseBadInput(username: string, password: string): void {
  const errors = credentialErrors(username, password);
  if (NEVER_IN_A_USERNAME.test(username)) errors.username = USERNAME_ERROR;
  for (const argument of ['username', 'password'] as const) {
    const error = errors[argument];
    if (error !== undefined) throw new CodedError('BAD_USER_INPUT', error, { argument });
  }
}
