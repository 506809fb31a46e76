import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import type { Caller } from '../accounts/caller.ts';
import type { AccountKey, PrismaClient } from '../generated/prisma/client.ts';
import { createLimitPerGroup } from '../http/limitPerGroup.ts';
import { keyExpiry, validKeys } from './key.ts';

export type ListedKey = Pick<AccountKey, 'name' | 'kind' | 'createdAt'> & {
  expiry: Date;
  lastUsed: Date | null;
};

const MAX_LISTS_AT_ONCE = 4;

export type ReadKeys = ReturnType<typeof createReadKeys>;

/**
 * Creates the function that lists valid keys by name: a session sees all keys of its account, a key only itself. It
 * throws `RATE_LIMITED` when too many lists of the account are under way.
 */
export function createReadKeys(prisma: Pick<PrismaClient, 'accountKey'>, clock: () => Date) {
  const limit = createLimitPerGroup({ maxAtOnce: MAX_LISTS_AT_ONCE });

  return (caller: Caller, client: TokenClient): Promise<ListedKey[]> =>
    limit.run(`${client} ${caller.accountId}`, async () => {
      const keys = await prisma.accountKey.findMany({
        where: {
          accountId: caller.accountId,
          ...validKeys(clock()),
          ...(caller.key !== null && { id: caller.id }),
        },
        include: { account: { select: { validUntil: true } } },
        orderBy: { name: 'asc' },
      });
      return keys.map((key) => ({
        name: key.name,
        kind: key.kind,
        createdAt: key.createdAt,
        expiry: keyExpiry(key),
        // A key sees its last use before this request: the row may already hold the request's own.
        lastUsed: caller.key === null ? key.lastUsedAt : caller.key.lastUsed,
      }));
    });
}
