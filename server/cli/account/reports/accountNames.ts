import { OperatorError } from '../../../errors.ts';
import type { PrismaClient } from '../../../generated/prisma/client.ts';

export type AccountNames = { id: string; company: string; username: string };

export async function accountNames(prisma: PrismaClient, ids: string[]): Promise<Map<string, AccountNames>> {
  const found = await findNames(prisma, { id: { in: ids } });
  return new Map(found.map((names) => [names.id, names]));
}

export async function accountsOfCompany(prisma: PrismaClient, company: string): Promise<string[]> {
  const found = await findNames(prisma, { company });
  if (found.length === 0) throw new OperatorError('no account belongs to that company; list shows all');
  return found.map(({ id }) => id);
}

/** Returns deleted accounts first, so that an account that was imported again has its present names. */
async function findNames(
  prisma: PrismaClient,
  where: { id: { in: string[] } } | { company: string },
): Promise<AccountNames[]> {
  const query = { where, select: { id: true, company: true, username: true } };
  const [deleted, present] = await Promise.all([
    prisma.deletedAccount.findMany(query),
    prisma.account.findMany(query),
  ]);
  return [...deleted, ...present];
}
