import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import type { AccountKey, PrismaClient } from '../generated/prisma/client.ts';
import { createLimitPerGroup } from '../limits/limitPerGroup.ts';
import type { Session } from '../signIn/sessions.ts';
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

  return (session: Session, client: TokenClient): Promise<ListedKey[]> =>
    limit.run(`${client} ${session.accountId}`, async () => {
      const keys = await prisma.accountKey.findMany({
        where: {
          accountId: session.accountId,
          ...validKeys(clock()),
          ...(session.key !== null && { id: session.id }),
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
        lastUsed: session.key === null ? key.lastUsedAt : session.key.lastUsed,
      }));
    });
}
