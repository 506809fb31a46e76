import { credentialErrors, NEVER_STORED, USERNAME_ERROR } from '../../shared/credentialRules.ts';
import { type ExpiryLog, isOpenOrLogged } from '../accounts/accountState.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { largestNetworkOf } from '../http/networksOf.ts';
import { createQueuePerGroup } from '../queuePerGroup.ts';
import { countersOfBrowser, countersOfNetwork, createAttemptCounts } from './attemptCounts.ts';
import { type KnownBrowser, readDeviceJwt, signDeviceJwt } from './deviceJwt.ts';
import type { SignInObserver } from './guessingAlarm.ts';
import { verifyPassword } from './password.ts';
import { invalidCredentials, type Sessions, type StartedSession } from './sessions.ts';
import type { JwtSecrets } from './signedJwt.ts';
import { MAX_AT_ONCE } from './signInLimits.ts';
import { createSignInQueue, type HashInQueue } from './signInQueue.ts';

export type SignInAttempt = {
  username: string;
  password: string;
  address: string;
  deviceJwt: string | null;
  replacedJwt?: string | null;
  onAccount?: (id: string) => void;
  log?: ExpiryLog;
};

export type SignedIn = StartedSession & {
  device: { jwt: string; expiry: Date };
};

/**
 * Starts a session, replacing the one of the request, for the account with exactly this username and password
 * (specification, sections 4 and 5).
 * @throws {CodedError} `BAD_USER_INPUT` with the form's message; `RATE_LIMITED` with `retryAfterSeconds`, the
 *   password unchecked; `INVALID_CREDENTIALS`, the same whether the username is unknown, the password wrong or the
 *   account disabled or past its end
 */
export type SignIn = (attempt: SignInAttempt) => Promise<SignedIn>;

export function createSignIn({
  prisma,
  sessions,
  secrets,
  clock,
  maxWaitMs,
  observer,
}: {
  prisma: PrismaClient;
  sessions: Sessions;
  secrets: JwtSecrets;
  clock: () => Date;
  maxWaitMs?: number | undefined;
  observer?: SignInObserver | undefined;
}): SignIn {
  const { beginAttempt } = createAttemptCounts(prisma, secrets.current);
  const withinLimits = createSignInQueue({ maxWaitMs });
  // Otherwise correct passwords that are sent at the same moment would exhaust their own limit.
  const inQueueOfCounter = createQueuePerGroup({ maxRunning: MAX_AT_ONCE.counted });

  return async (attempt) => {
    refuseBadInput(attempt.username, attempt.password);
    const { username, address, deviceJwt } = attempt;
    const browser = deviceJwt === null ? null : readDeviceJwt(deviceJwt, secrets, clock());
    return withinLimits({ username, address, browser }, (hashInQueue) =>
      checkAndStart(attempt, browser, hashInQueue),
    );
  };

  async function checkAndStart(
    attempt: SignInAttempt,
    browser: KnownBrowser | null,
    hashInQueue: HashInQueue,
  ): Promise<SignedIn> {
    const { username, address, onAccount } = attempt;
    const account = await prisma.account.findUnique({ where: { username } });
    if (account !== null) onAccount?.(account.id);
    const isKnown =
      browser !== null &&
      browser.accountId === account?.id &&
      browser.credentialsVersion === account.credentialsVersion;
    const attemptsVersion = account?.attemptsVersion ?? 0;
    const counters = isKnown
      ? countersOfBrowser(browser, attemptsVersion)
      : countersOfNetwork(username, attemptsVersion, address);
    return inQueueOfCounter(JSON.stringify(counters.own.subject), async () => {
      const counted = await beginAttempt(counters);
      const hash = account?.passwordHash ?? null;
      const matches = await hashInQueue(() => verifyPassword(hash, attempt.password)).catch(
        async (error: unknown) => {
          await counted.withdrawn();
          throw error;
        },
      );
      if (account === null || !matches || !isOpenOrLogged(account, clock(), attempt.log)) {
        await counted.failed();
        if (account !== null) observer?.onFailure(account.id, largestNetworkOf(address));
        throw invalidCredentials();
      }
      const [started] = await Promise.all([
        sessions.start(account, attempt.replacedJwt),
        counted.succeeded(),
      ]);
      return { ...started, device: signDeviceJwt(account, isKnown ? browser : null, secrets, clock()) };
    });
  }
}

function refuseBadInput(username: string, password: string): void {
  const errors = credentialErrors(username, password);
  if (NEVER_STORED.test(username)) errors.username = USERNAME_ERROR;
  for (const argument of ['username', 'password'] as const) {
    const error = errors[argument];
    if (error !== undefined) throw new CodedError('BAD_USER_INPUT', error, { argument });
  }
}
