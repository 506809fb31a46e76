import type { AccountKey, Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { endingKeys, isValidKey, keyExpiry, validKeys } from '../../keys/key.ts';

export type KeyListing = Omit<AccountKey, 'id' | 'accountId' | 'keyHash'> & {
  username: string;
  isValid: boolean;
};

export async function listKeys(
  prisma: PrismaClient,
  { account, days, now }: { account: { id: string } | null; days?: number | undefined; now: Date },
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

export function countValidKeys(
  { accountKey }: Pick<Prisma.TransactionClient, 'accountKey'>,
  accountId: string,
  now: Date,
): Promise<number> {
  return accountKey.count({ where: { accountId, ...validKeys(now) } });
}
