import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import type { AccountKey, PrismaClient } from '../generated/prisma/client.ts';
import { createLimitPerGroup } from '../limitPerGroup.ts';
import type { Session } from '../signIn/sessions.ts';
import { isValidKey, KEY_EXPIRY } from './key.ts';

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
export function createReadKeys(prisma: Pick<PrismaClient, '$queryRaw'>, clock: () => Date) {
  const limit = createLimitPerGroup({ maxAtOnce: MAX_LISTS_AT_ONCE });

  return (session: Session, callerKind: TokenClient): Promise<ListedKey[]> =>
    limit.run(`${callerKind} ${session.accountId}`, async () => {
      const keys = await prisma.$queryRaw<ListedKey[]>`
        SELECT name, kind, account_keys.created_at AS "createdAt", ${KEY_EXPIRY} AS expiry, last_used_at AS "lastUsed"
        FROM account_keys JOIN accounts ON accounts.id = account_id
        WHERE account_id = ${session.accountId} AND ${isValidKey(clock())}
          AND (${session.key === null} OR account_keys.id = ${session.id}::uuid)
        ORDER BY name`;
      if (session.key === null) return keys;
      // The last use before this request: the row may already hold the request's own.
      const { lastUsed } = session.key;
      return keys.map((key) => ({ ...key, lastUsed }));
    });
}
