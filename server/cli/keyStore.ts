import { OperatorError } from '../errors.ts';
import type { KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import { endsWithin, keyHashOf, newKey } from '../signIn/keySessions.ts';
import { keyNameSchema } from './accountSchema.ts';
import { checked, requireAccount } from './accountStore.ts';
import { writeAuditLine } from './audit.ts';

export type KeyListing = {
  username: string;
  name: string;
  kind: KeyKind;
  createdAt: Date;
  expiresAt: Date;
  /** The CIDR networks that it is bound to; empty if it works from everywhere. */
  networks: string[];
  lastUsedAt: Date | null;
};

type KeyChange = { username: string; name: string; operator: string };

const ACCOUNT_DISABLED = 'the account is disabled: enable it first';
const NO_SUCH_KEY = 'the account has no key of that name: list-keys shows them';

/** Returns the key; only its hash is stored. */
export async function addKey(
  prisma: PrismaClient,
  {
    username,
    name,
    operator,
    kind,
    expiresAt,
    networks = [],
  }: KeyChange & { kind: KeyKind; expiresAt: Date; networks?: string[] },
): Promise<string> {
  checked(keyNameSchema, { name });
  const account = await requireAccount(prisma, username);
  if (account.disabled) throw new OperatorError(ACCOUNT_DISABLED);
  const key = newKey(kind);
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.createMany({
      data: [{ accountId: account.id, name, kind, keyHash: keyHashOf(key), expiresAt, networks }],
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
  prisma: PrismaClient,
  { username, name, operator, expiresAt }: KeyChange & { expiresAt: Date },
): Promise<void> {
  const account = await requireAccount(prisma, username);
  if (account.disabled) throw new OperatorError(ACCOUNT_DISABLED);
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

/** Returns keys, expired ones too, the soonest expiry first; with `days`, only valid ones that expire within so many days. */
export async function listKeys(
  prisma: PrismaClient,
  { username, days, now }: { username?: string | undefined; days?: number | undefined; now: Date },
): Promise<KeyListing[]> {
  const account = username === undefined ? null : await requireAccount(prisma, username);
  const keys = await prisma.accountKey.findMany({
    where: { ...(account && { accountId: account.id }), ...(days !== undefined && endsWithin(days, now)) },
    omit: { id: true, keyHash: true },
    include: { account: { select: { username: true } } },
    orderBy: [{ expiresAt: 'asc' }, { account: { username: 'asc' } }, { name: 'asc' }],
  });
  const uses = await prisma.tokenRecord.groupBy({
    by: ['accountId', 'keyName'],
    where: { accountId: { in: keys.map(({ accountId }) => accountId) }, keyName: { not: null } },
    _max: { createdAt: true },
  });
  return keys.map(({ accountId, account: { username }, ...key }) => {
    const use = uses.find((each) => each.accountId === accountId && each.keyName === key.name);
    const lastUsedAt = use?._max.createdAt ?? null;
    // An earlier key may have had the same name.
    return {
      username,
      ...key,
      lastUsedAt: lastUsedAt !== null && lastUsedAt >= key.createdAt ? lastUsedAt : null,
    };
  });
}

export async function revokeKey(
  prisma: PrismaClient,
  { username, name, operator }: KeyChange,
): Promise<void> {
  const account = await requireAccount(prisma, username);
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.accountKey.deleteMany({ where: { accountId: account.id, name } });
    if (count === 0) throw new OperatorError(NO_SUCH_KEY);
    await writeAuditLine(transaction, { operator, command: 'revoke-key', account, details: name });
  });
}
