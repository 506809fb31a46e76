import { OperatorError } from '../../errors.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';

export type AccountNames = { id: string; company: string; username: string };

const NAMES = { id: true, company: true, username: true };

/** Returns the names of the accounts with these ids, by id, including deleted accounts. */
export async function accountNames(prisma: PrismaClient, ids: string[]): Promise<Map<string, AccountNames>> {
  const query = { where: { id: { in: ids } }, select: NAMES };
  const [deleted, present] = await Promise.all([
    prisma.deletedAccount.findMany(query),
    prisma.account.findMany(query),
  ]);
  return new Map([...deleted, ...present].map((names) => [names.id, names]));
}

/**
 * Returns the ids of a company's accounts, including deleted ones.
 * @param company - spelt exactly as in its accounts
 * @throws {OperatorError} when there is none
 */
export async function accountsOfCompany(prisma: PrismaClient, company: string): Promise<string[]> {
  const query = { where: { company }, select: NAMES };
  const [deleted, present] = await Promise.all([
    prisma.deletedAccount.findMany(query),
    prisma.account.findMany(query),
  ]);
  const ids = [...deleted, ...present].map(({ id }) => id);
  if (ids.length === 0) throw new OperatorError('no account is of that company: list shows them');
  return ids;
}
