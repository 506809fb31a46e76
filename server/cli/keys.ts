import { OperatorError } from '../errors.ts';
import type { KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import { keyHashOf, newKey } from '../signIn/accountKeys.ts';
import { keyNameRules } from './accountRules.ts';
import { checked, requireAccount } from './accounts.ts';
import { writeAuditLine } from './audit.ts';

/** A key as shown to operators. */
export type KeyListing = {
  name: string;
  kind: KeyKind;
  createdAt: Date;
  expiresAt: Date;
  /** The time of its last request for a token in the ledger; null if there is none. */
  lastUsedAt: Date | null;
};

/** Names a key by its account, and the person who changes it, for the audit. */
type KeyChange = { username: string; name: string; operator: string };

/**
 * Adds a key to an account.
 * @returns the key; only its hash is stored
 * @throws {OperatorError} when there is no such account, it is disabled or has a key of that name, or the name breaks a rule
 */
export async function addKey(
  prisma: PrismaClient,
  { username, name, operator, kind, expiresAt }: KeyChange & { kind: KeyKind; expiresAt: Date },
): Promise<string> {
  checked(keyNameRules, { name });
  const account = await requireAccount(prisma, username);
  if (account.disabled) throw new OperatorError('the account is disabled: enable it first');
  const key = newKey(kind);
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.createMany({
      data: [{ accountId: account.id, name, kind, keyHash: keyHashOf(key), expiresAt }],
      skipDuplicates: true,
    });
    if (count === 0) {
      throw new OperatorError('the account has a key of that name: choose another, or revoke that one first');
    }
    const details = `${name}, ${kind.toLowerCase()}, until ${expiresAt.toISOString()}`;
    await writeAuditLine(transaction, { operator, command: 'add-key', account, details });
  });
  return key;
}

/**
 * Returns the keys of an account, including expired ones, ordered by name.
 * @throws {OperatorError} when there is no such account
 */
export async function listKeys(prisma: PrismaClient, username: string): Promise<KeyListing[]> {
  const { id: accountId } = await requireAccount(prisma, username);
  const keys = await prisma.accountKey.findMany({
    where: { accountId },
    select: { name: true, kind: true, createdAt: true, expiresAt: true },
    orderBy: { name: 'asc' },
  });
  const uses = await prisma.tokenRecord.groupBy({
    by: ['keyName'],
    where: { accountId, keyName: { in: keys.map(({ name }) => name) } },
    _max: { createdAt: true },
  });
  const lastUses = new Map(uses.map(({ keyName, _max }) => [keyName, _max.createdAt]));
  return keys.map((key) => {
    const lastUsedAt = lastUses.get(key.name) ?? null;
    // An earlier key may have had the same name.
    return { ...key, lastUsedAt: lastUsedAt !== null && lastUsedAt >= key.createdAt ? lastUsedAt : null };
  });
}

/**
 * Revokes a key: every instance refuses it from the next request on.
 * @throws {OperatorError} when there is no such account or key
 */
export async function revokeKey(
  prisma: PrismaClient,
  { username, name, operator }: KeyChange,
): Promise<void> {
  const account = await requireAccount(prisma, username);
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.deleteMany({ where: { accountId: account.id, name } });
    if (count === 0) throw new OperatorError('the account has no key of that name: list-keys shows them');
    await writeAuditLine(transaction, { operator, command: 'revoke-key', account, details: name });
  });
}
