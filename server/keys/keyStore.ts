import { ACCOUNT_CHANGED, hasEnded } from '../accounts/accountValidity.ts';
import { type AuditedDatabase, writeAuditLine } from '../accounts/auditLines.ts';
import { OperatorError } from '../errors.ts';
import type { Account, AccountKey, KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import { endingKeys, keyExpiry, keyHashOf, newKey, validKeys } from './key.ts';

type KeyOwner = Pick<Account, 'id' | 'username' | 'disabled' | 'validUntil'>;

/** `expiresAt` is the earlier end of the key and of its account. */
export type KeyListing = Omit<AccountKey, 'id' | 'accountId' | 'keyHash'> & { username: string };

const ACCOUNT_DISABLED = 'the account is disabled: enable it first';
const ACCOUNT_ENDED = 'the account has ended: extend it first';
const NO_SUCH_KEY = 'the account has no key of that name: list-keys shows them';

export async function addKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  fields: { name: string; kind: KeyKind; expiresAt: Date; networks: string[] },
  now: Date,
): Promise<string> {
  const { name, kind, expiresAt, networks } = fields;
  refuseClosed(account, now);
  const key = newKey(kind);
  await prisma.$transaction(async (transaction) => {
    // Locked until the key is there, since disabling revokes the keys that it finds.
    const enabled = await transaction.$queryRaw<unknown[]>`
      SELECT id FROM accounts WHERE id = ${account.id} AND NOT disabled FOR SHARE`;
    if (enabled.length === 0) throw new OperatorError(ACCOUNT_CHANGED);
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
  });
  return key;
}

export async function extendKey(
  { prisma, operator }: AuditedDatabase,
  account: KeyOwner,
  { name, expiresAt }: { name: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  refuseClosed(account, now);
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.updateMany({
      where: { accountId: account.id, name },
      data: { expiresAt },
    });
    if (count === 0) throw new OperatorError(NO_SUCH_KEY);
    const details = `${name}, until ${expiresAt.toISOString()}`;
    await writeAuditLine(transaction, { operator, command: 'extend-key', account, details });
  });
}

function refuseClosed(account: KeyOwner, now: Date): void {
  if (account.disabled) throw new OperatorError(ACCOUNT_DISABLED);
  if (hasEnded(account, now)) throw new OperatorError(ACCOUNT_ENDED);
}

/** Returns keys, the soonest expiry first; with `days`, only valid ones that end within so many days. */
export async function listKeys(
  prisma: PrismaClient,
  { account, days, now }: { account: KeyOwner | null; days?: number | undefined; now: Date },
): Promise<KeyListing[]> {
  const keys = await prisma.accountKey.findMany({
    where: { ...(account && { accountId: account.id }), ...(days !== undefined && endingKeys(days, now)) },
    omit: { id: true, accountId: true, keyHash: true },
    include: { account: { select: { username: true, validUntil: true } } },
    orderBy: [{ account: { username: 'asc' } }, { name: 'asc' }],
  });
  return keys
    .map(({ account, ...key }) => ({
      username: account.username,
      ...key,
      expiresAt: keyExpiry(key, account),
    }))
    .sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
}

export async function countValidKeys(prisma: PrismaClient, accountId: string, now: Date): Promise<number> {
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
