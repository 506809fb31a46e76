import { requireOpen } from '../../../accounts/accountState.ts';
import { type AuditedDatabase, writeAuditLine } from '../../../accounts/auditLines.ts';
import { OperatorError } from '../../../errors.ts';
import type { Account, AccountKey, KeyKind, PrismaClient } from '../../../generated/prisma/client.ts';
import { endingKeys, isValidKey, keyExpiry, keyHashOf, newKey, validKeys } from '../../../keys/key.ts';

type KeyOwner = Pick<Account, 'id' | 'username'>;

export type KeyListing = Omit<AccountKey, 'id' | 'accountId' | 'keyHash'> & {
  username: string;
  isValid: boolean;
};

const NO_SUCH_KEY = 'the account has no key of that name: list-keys shows them';

export async function addKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  { now, ...fields }: { name: string; kind: KeyKind; expiresAt: Date; networks: string[]; now: Date },
): Promise<{ key: string; accountEnd: Date | null }> {
  const { name, kind, expiresAt, networks } = fields;
  const key = newKey(kind);
  const accountEnd = await prisma.$transaction(async (transaction) => {
    // Also locks the account: if it were disabled before the insert, the new key would not be revoked.
    const end = await requireOpen(transaction, account.id, now);
    const { count } = await transaction.accountKey.createMany({
      data: [{ accountId: account.id, keyHash: keyHashOf(key), ...fields }],
      skipDuplicates: true,
    });
    if (count === 0) {
      throw new OperatorError('the account has a key of that name: choose another, or revoke that one first');
    }
    const bound = networks.length === 0 ? '' : `, from ${networks.join(' and ')}`;
    const details = `${name}, ${kind.toLowerCase()}, until ${expiresAt.toISOString()}${bound}`;
    await writeAuditLine(transaction, { operator, command: 'add-key', account, details });
    return end;
  });
  return { key, accountEnd };
}

/** @returns when the key's account ends, null for never */
export async function extendKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  { name, expiresAt, now }: { name: string; expiresAt: Date; now: Date },
): Promise<Date | null> {
  return prisma.$transaction(async (transaction) => {
    const accountEnd = await requireOpen(transaction, account.id, now);
    const { count } = await transaction.accountKey.updateMany({
      where: { accountId: account.id, name },
      data: { expiresAt },
    });
    if (count === 0) throw new OperatorError(NO_SUCH_KEY);
    const details = `${name}, until ${expiresAt.toISOString()}`;
    await writeAuditLine(transaction, { operator, command: 'extend-key', account, details });
    return accountEnd;
  });
}

export async function listKeys(
  prisma: PrismaClient,
  { account, days, now }: { account: KeyOwner | null; days?: number | undefined; now: Date },
): Promise<KeyListing[]> {
  const keys = await prisma.accountKey.findMany({
    where: {
      ...(account && { accountId: account.id }),
      ...(days !== undefined && endingKeys(days, now)),
    },
    include: { account: { select: { username: true, disabled: true, validUntil: true } } },
    orderBy: [{ account: { username: 'asc' } }, { name: 'asc' }],
  });
  return keys
    .map((key) => ({
      username: key.account.username,
      name: key.name,
      kind: key.kind,
      createdAt: key.createdAt,
      expiresAt: keyExpiry(key),
      networks: key.networks,
      lastUsedAt: key.lastUsedAt,
      isValid: isValidKey(key, now),
    }))
    .sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
}

export function countValidKeys(prisma: PrismaClient, accountId: string, now: Date): Promise<number> {
  return prisma.accountKey.count({ where: { accountId, ...validKeys(now) } });
}

export async function revokeKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  name: string,
): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.deleteMany({ where: { accountId: account.id, name } });
    if (count === 0) throw new OperatorError(NO_SUCH_KEY);
    await writeAuditLine(transaction, { operator, command: 'revoke-key', account, details: name });
  });
}
