import { type AccountState, accountState } from '../../../accounts/accountState.ts';
import { readDatabaseTime } from '../../../database/clock.ts';
import type { Account, PrismaClient, Session, TokenRecord } from '../../../generated/prisma/client.ts';
import {
  attemptKey,
  type Counter,
  counterOfAllBrowsers,
  countersOfNetwork,
} from '../../../signIn/attemptCounts.ts';
import { isUnused, isValidSession, sessionEnd, wasCookieSent } from '../../../signIn/sessions.ts';
import { jwtSecrets } from '../../../signIn/signedJwt.ts';
import type { FoundAccount } from '../../arguments/accountSelector.ts';
import { listKeys } from '../keyCommands.ts';
import type { KeyListing } from '../reports/tables.ts';

const MOST_TOKENS = 20;

export type AccountReport = Pick<
  Account,
  'id' | 'username' | 'company' | 'validUntil' | 'createdAt' | 'lastSignInAt'
> & {
  now: Date;
  state: AccountState;
  lastTokenAt: Date | null;
  sessions: Array<
    Pick<Session, 'createdAt' | 'cookieSent'> & {
      /** Null where no use is known: a tool's are never recorded. */
      lastUsedAt: Date | null;
      expiresAt: Date;
    }
  >;
  keys: Array<Omit<KeyListing, 'username'>>;
  /** Null where the server's secret, with which they are found, is not known. */
  failedSignIns: FailedSignIns[] | null;
  tokens: Array<Omit<TokenRecord, 'id' | 'accountId' | 'tokenHash'>>;
};

export type FailedSignIns = {
  of: 'KNOWN_BROWSERS' | 'USERNAME_IN_NETWORK' | 'NETWORK';
  network: string | null;
  failures: number;
  limit: number;
  /** The time at which the failures are forgotten; null if there are none. */
  until: Date | null;
};

export async function readAccountReport(
  prisma: PrismaClient,
  { id }: FoundAccount,
  { now, address, jwtSecret }: { now: Date; address: string | null; jwtSecret: string | null },
): Promise<AccountReport> {
  const ofAccount = { accountId: id };
  const account = await prisma.account.findUniqueOrThrow({
    where: { id },
    include: { sessions: { orderBy: { id: 'desc' } } },
  });
  const keys = await listKeys(prisma, { account, now });
  const tokens = await prisma.tokenRecord.findMany({
    where: ofAccount,
    orderBy: { id: 'desc' },
    take: MOST_TOKENS,
    omit: { id: true, accountId: true, tokenHash: true },
  });
  const lastToken = await prisma.tokenRecord.findFirst({
    where: { ...ofAccount, outcome: 'ISSUED' },
    orderBy: { id: 'desc' },
    select: { createdAt: true },
  });
  const { username, company, validUntil, createdAt, lastSignInAt } = account;
  return {
    now,
    id,
    username,
    company,
    state: accountState(account, now),
    validUntil,
    createdAt,
    lastSignInAt,
    lastTokenAt: lastToken?.createdAt ?? null,
    sessions: account.sessions
      .filter((session) => isValidSession(session, account, now))
      .map((session) => ({
        createdAt: session.createdAt,
        lastUsedAt: isUnused(session) ? null : session.lastUsedAt,
        expiresAt: sessionEnd(session),
        cookieSent: wasCookieSent(session),
      })),
    keys: keys.map(({ username: _, ...key }) => key),
    failedSignIns:
      jwtSecret === null ? null : await readFailedSignIns(prisma, account, { address, jwtSecret }),
    tokens,
  };
}

/**
 * Returns the failed sign-ins that count against an account now, by the database's clock: those of its known browsers
 * together, and those of the network of `address`. The rows of other networks cannot be found, since only HMACs of
 * them are stored.
 */
async function readFailedSignIns(
  prisma: PrismaClient,
  { id, username, attemptsVersion }: Pick<Account, 'id' | 'username' | 'attemptsVersion'>,
  { address, jwtSecret }: { address: string | null; jwtSecret: string },
): Promise<FailedSignIns[]> {
  const { current: secret } = jwtSecrets(jwtSecret);
  const counters: Array<Pick<FailedSignIns, 'of'> & { counter: Counter }> = [
    { of: 'KNOWN_BROWSERS', counter: counterOfAllBrowsers(id, attemptsVersion) },
  ];
  if (address !== null) {
    const { own, shared } = countersOfNetwork(username, attemptsVersion, address);
    counters.push({ of: 'USERNAME_IN_NETWORK', counter: own });
    counters.push(...shared.map((counter) => ({ of: 'NETWORK', counter }) as const));
  }
  const rows = await prisma.attemptCount.findMany({
    where: { key: { in: counters.map(({ counter }) => attemptKey(counter, secret)) } },
  });
  const now = await readDatabaseTime(prisma);
  return counters.map(({ of, counter }) => {
    const key = attemptKey(counter, secret);
    const row = rows.find((each) => each.key === key && each.expiresAt > now && each.failures > 0);
    return {
      of,
      network: of === 'KNOWN_BROWSERS' ? null : String(counter.subject.at(-1)),
      failures: row?.failures ?? 0,
      limit: counter.limit,
      until: row?.expiresAt ?? null,
    };
  });
}
