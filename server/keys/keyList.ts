import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import type { AccountKey, PrismaClient } from '../generated/prisma/client.ts';
import { createKeyedConcurrencyLimit } from '../keyedConcurrencyLimit.ts';
import type { Session } from '../signIn/sessions.ts';
import { keyExpiry, validKeys } from './key.ts';

/** `expiry` is the earlier end of the key and of its account. */
export type ListedKey = Pick<AccountKey, 'name' | 'kind' | 'createdAt'> & {
  expiry: Date;
  lastUsed: Date | null;
};

const MAX_LISTS_AT_ONCE = 4;

export type ReadKeys = ReturnType<typeof createReadKeys>;

/**
 * Creates the function that lists valid keys by name: for a session all of its account, for a key itself alone. It
 * throws `RATE_LIMITED` when too many lists of the account are under way.
 */
export function createReadKeys(prisma: Pick<PrismaClient, 'accountKey'>, clock: () => Date) {
  const limit = createKeyedConcurrencyLimit({ maxAtOnce: MAX_LISTS_AT_ONCE });

  return (session: Session, client: TokenClient): Promise<ListedKey[]> =>
    limit.run(`${client} ${session.accountId}`, async () => {
      const visible = session.key === null ? { accountId: session.accountId } : { id: session.id };
      const keys = await prisma.accountKey.findMany({
        where: { ...visible, ...validKeys(clock()) },
        include: { account: { select: { validUntil: true } } },
        orderBy: { name: 'asc' },
      });
      return keys.map((key) => ({
        name: key.name,
        kind: key.kind,
        createdAt: key.createdAt,
        expiry: keyExpiry(key, key.account),
        // Not the row's: another field of this request may just have updated it.
        lastUsed: session.key === null ? key.lastUsedAt : session.key.lastUsed,
      }));
    });
}
