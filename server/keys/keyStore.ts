import { requireOpen } from '../accounts/accountState.ts';
import { type AuditedDatabase, writeAuditLine } from '../accounts/auditLines.ts';
import { OperatorError } from '../errors.ts';
import {
  type Account,
  type AccountKey,
  type KeyKind,
  Prisma,
  type PrismaClient,
} from '../generated/prisma/client.ts';
import { isEndingKey, isValidKey, KEY_EXPIRY, keyHashOf, newKey } from './key.ts';

type KeyOwner = Pick<Account, 'id' | 'username'>;

export type KeyListing = Omit<AccountKey, 'id' | 'accountId' | 'keyHash'> & {
  username: string;
  isValid: boolean;
};

const NO_SUCH_KEY = 'the account has no key of that name: list-keys shows them';

/** @returns the key, and when its account ends, null for never */
export async function addKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  fields: { name: string; kind: KeyKind; expiresAt: Date; networks: string[] },
): Promise<{ key: string; accountEnd: Date | null }> {
  const { name, kind, expiresAt, networks } = fields;
  const key = newKey(kind);
  const accountEnd = await prisma.$transaction(async (transaction) => {
    // Also locks the account: if it were disabled before the insert, the new key would not be revoked.
    const end = await requireOpen(transaction, account.id);
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
  { name, expiresAt }: { name: string; expiresAt: Date },
): Promise<Date | null> {
  return prisma.$transaction(async (transaction) => {
    const accountEnd = await requireOpen(transaction, account.id);
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
  return prisma.$queryRaw<KeyListing[]>`
    SELECT username, name, kind, account_keys.created_at AS "createdAt", ${KEY_EXPIRY} AS "expiresAt", networks,
      last_used_at AS "lastUsedAt", ${isValidKey(now)} AS "isValid"
    FROM account_keys JOIN accounts ON accounts.id = account_id
    WHERE ${account === null ? Prisma.sql`true` : Prisma.sql`account_id = ${account.id}`}
      AND ${days === undefined ? Prisma.sql`true` : isEndingKey(days, now)}
    ORDER BY "expiresAt", username, name`;
}

export async function countValidKeys(prisma: PrismaClient, accountId: string, now: Date): Promise<number> {
  const [valid] = await prisma.$queryRaw<[{ count: number }]>`
    SELECT count(*)::integer AS count FROM account_keys JOIN accounts ON accounts.id = account_id
    WHERE account_id = ${accountId} AND ${isValidKey(now)}`;
  return valid.count;
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
