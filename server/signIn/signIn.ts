import { credentialErrors, NEVER_STORED, USERNAME_ERROR } from '../../shared/credentialRules.ts';
import { type ExpiryLog, isOpenElseLog } from '../accounts/accountState.ts';
import { CodedError } from '../errors.ts';
import type { Account, PrismaClient } from '../generated/prisma/client.ts';
import { largestNetworkOf } from '../http/ipAddress.ts';
import {
  type Attempt,
  type AttemptLog,
  type AttemptOutcome,
  countersOfBrowser,
  countersOfNetwork,
  createAttemptCounts,
} from './attemptCounts.ts';
import type { SignInObserver } from './guessingAlarm.ts';
import { verifyPassword } from './password.ts';
import { invalidCredentials, type Sessions, type StartedSession } from './sessions.ts';
import { type DeviceBrowser, type JwtSecrets, readDeviceJwt, signDeviceJwt } from './signedJwt.ts';
import { createHashQueue, createSignInSlots } from './signInLimits.ts';

export type SignInAttempt = {
  username: string;
  password: string;
  address: string;
  deviceJwt: string | null;
  replacedJwt?: string | null;
  onAccountFound?: (id: string) => void;
  log?: ExpiryLog & AttemptLog;
};

export type SignedIn = StartedSession & {
  device: { jwt: string; expiry: Date };
};

/**
 * Starts a session, replacing the one of the request, for the account with exactly this username and password
 * (specification, sections 4 and 5).
 * @throws {CodedError} `BAD_USER_INPUT` with the form's message; `RATE_LIMITED` with `retryAfterSeconds`, the
 *   password unchecked; `INVALID_CREDENTIALS`, the same whether the username is unknown, the password wrong or the
 *   account disabled or past its end; `DATABASE_UNAVAILABLE`
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
  const takeSlot = createSignInSlots();
  const attempts = createAttemptCounts(prisma, secrets.current);
  const runInHashQueue = createHashQueue({ maxWaitMs });

  return async ({ username, password, address, deviceJwt, replacedJwt, onAccountFound, log }) => {
    refuseBadInput(username, password);
    const browser = deviceJwt === null ? null : readDeviceJwt(deviceJwt, secrets, clock());
    // The account is not read yet, so any valid device JWT counts as a browser here: it takes a slot of the account that
    // the JWT names. Below, only a browser of this account gets attempts of its own.
    const slot = takeSlot({ username, address, browser });
    let attempt: Attempt | undefined;
    let outcome: AttemptOutcome = 'unchecked';
    try {
      const account = await prisma.account.findUnique({ where: { username } });
      if (account !== null) onAccountFound?.(account.id);
      const known = browser !== null && isKnownTo(account, browser) ? browser : null;
      const attemptsVersion = account?.attemptsVersion ?? 0;
      const counters =
        known === null
          ? countersOfNetwork(username, attemptsVersion, address)
          : countersOfBrowser(known, attemptsVersion);
      attempt = await attempts.begin(counters, log);

      const passwordHash = account?.passwordHash ?? null;
      const matches = await runInHashQueue(slot.priority, () => verifyPassword(passwordHash, password));
      outcome = 'failed';
      if (account === null || !matches || !isOpenElseLog(account, clock(), log)) {
        if (account !== null) observer?.onFailure(account.id, largestNetworkOf(address));
        throw invalidCredentials();
      }
      outcome = 'succeeded';
      const started = await sessions.start(account, replacedJwt);
      return { ...started, device: signDeviceJwt(account, known, secrets, clock()) };
    } finally {
      await attempt?.end(outcome);
      slot.release();
    }
  };
}

function isKnownTo(account: Account | null, { accountId, credentialsVersion }: DeviceBrowser): boolean {
  return account?.id === accountId && account.credentialsVersion === credentialsVersion;
}

function refuseBadInput(username: string, password: string): void {
  const errors = credentialErrors(username, password);
  if (NEVER_STORED.test(username)) errors.username = USERNAME_ERROR;
  for (const argument of ['username', 'password'] as const) {
    const error = errors[argument];
    if (error !== undefined) throw new CodedError('BAD_USER_INPUT', error, { argument });
  }
}
