import { type AccountState, accountState } from '../../../accounts/accountState.ts';
import type { Account, PrismaClient, Session, TokenRecord } from '../../../generated/prisma/client.ts';
import { isUnused, isValidSession, sessionEnd, wasCookieSent } from '../../../signIn/sessions.ts';
import type { FoundAccount } from '../../arguments/accountSelector.ts';
import { type KeyListing, listKeys } from '../keyListing.ts';
import { type FailedSignIns, readFailedSignIns } from './failedSignIns.ts';

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

const MOST_TOKENS = 20;

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
