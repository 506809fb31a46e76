import type { AuditLine, Prisma, PrismaClient } from '../generated/prisma/client.ts';

export type AuditedDatabase = { prisma: PrismaClient; operator: string };

/** Put neither a password nor a key into it. */
type AuditedChange = {
  operator: string;
  command: string;
  account: { id: string; username: string } | null;
  details?: string;
};

export type AuditListing = Omit<AuditLine, 'id'>;

export function writeAuditLine(
  transaction: Pick<Prisma.TransactionClient, 'auditLine'>,
  { operator, command, account, details }: AuditedChange,
): Prisma.PrismaPromise<AuditLine> {
  return transaction.auditLine.create({
    data: {
      operator,
      command,
      accountId: account?.id ?? null,
      username: account?.username ?? null,
      details: details ?? null,
    },
  });
}

/**
 * Returns the changes, newest first: from `since` on, and of the account with `id` or the accounts that have or had
 * `username`. An account's changes under its other usernames count too.
 */
export async function readAuditLines(
  prisma: PrismaClient,
  { since, username, id }: { since?: Date | undefined; username?: string; id?: string },
): Promise<AuditListing[]> {
  const ofId = id === undefined ? undefined : [id];
  const ids = username === undefined ? ofId : await accountIdsOf(prisma, username);
  return prisma.auditLine.findMany({
    where: {
      ...(since && { at: { gte: since } }),
      ...(ids && { accountId: { in: ids } }),
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    omit: { id: true },
  });
}

async function accountIdsOf(prisma: PrismaClient, username: string): Promise<string[]> {
  const [present, changed] = await Promise.all([
    prisma.account.findMany({ where: { username }, select: { id: true } }),
    prisma.auditLine.findMany({
      where: { username },
      distinct: 'accountId',
      select: { accountId: true },
    }),
  ]);
  return [...present.map(({ id }) => id), ...changed.flatMap(({ accountId }) => accountId ?? [])];
}
