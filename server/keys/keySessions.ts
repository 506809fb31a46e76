import { BlockList, isIP } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '../../shared/durations.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { isOpenElseLog } from '../accounts/accountState.ts';
import type { Caller } from '../accounts/caller.ts';
import { batched } from '../database/batched.ts';
import type { AccountKey, KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import { createLimitPerGroup } from '../http/limitPerGroup.ts';
import { endingKeys, isKeyOfKind, keyExpiry, keyHashOf, validKeys } from './key.ts';

export type KeyRequest = { address: string; log: Pick<FastifyBaseLogger, 'info' | 'warn'> };

export type KeySessions = ReturnType<typeof createKeySessions>;

const USE_RECORDED_EVERY_MS = MINUTE_MS;

// The alert AudioKeysEnd names the same number.
const ENDS_SOON_DAYS = 30;

export type ListedKey = Pick<AccountKey, 'name' | 'kind' | 'createdAt'> & {
  expiry: Date;
  lastUsed: Date | null;
};

const MAX_LISTS_AT_ONCE = 4;

export type ReadKeys = ReturnType<typeof createReadKeys>;

export function createKeySessions(prisma: PrismaClient, clock: () => Date) {
  const findRow = batched(async (hashes: readonly Buffer<ArrayBuffer>[]) => {
    const rows = await prisma.accountKey.findMany({
      where: { keyHash: { in: [...hashes] } },
      include: { account: { select: { id: true, company: true, disabled: true, validUntil: true } } },
    });
    const byHash = new Map(rows.map((row) => [Buffer.from(row.keyHash).toString('hex'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
  });

  return {
    /** Asks the database each time, so that every instance refuses a revoked key from the next request on. */
    async find(kind: KeyKind, key: string, { address, log }: KeyRequest): Promise<Caller | null> {
      // The stored hash covers the prefix: a player's key with the prefix of a tool's key is unknown.
      if (!isKeyOfKind(key, kind)) return null;
      const row = await findRow(keyHashOf(key));
      const now = clock();
      if (row === null || row.expiresAt <= now) return null;
      const { id, accountId, account, name, networks, lastUsedAt: lastUsed } = row;
      if (!isOpenElseLog(account, now, log)) return null;
      if (!isWithin(networks, address)) {
        log.warn({ account: accountId, key: name, address }, 'a key was sent from outside its networks');
        return null;
      }
      const expiry = keyExpiry(row);
      return { id, accountId, company: account.company, expiry, key: { name, expiry, lastUsed } };
    },

    /**
     * Records when a caller's key was used, if it has one, at most once a minute. Never rejects: while the database can
     * only be read, keys still work.
     */
    async recordUse({ id, key }: Caller): Promise<void> {
      if (key === null) return;
      const now = clock();
      const { lastUsed } = key;
      // A last use far in the future was recorded before the clock was set back.
      if (lastUsed !== null && Math.abs(now.getTime() - lastUsed.getTime()) < USE_RECORDED_EVERY_MS) return;
      await prisma.accountKey.updateMany({ where: { id }, data: { lastUsedAt: now } }).catch(() => undefined);
    },

    async listNames(): Promise<Array<{ account: string; key: string }>> {
      const keys = await prisma.accountKey.findMany({
        where: validKeys(clock()),
        select: { accountId: true, name: true },
      });
      return keys.map(({ accountId: account, name: key }) => ({ account, key }));
    },

    countEnding(): Promise<number> {
      return prisma.accountKey.count({ where: endingKeys(ENDS_SOON_DAYS, clock()) });
    },
  };
}

/** Lists valid keys by name: a session sees all keys of its account, a key only itself. */
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

function isWithin(networks: string[], address: string): boolean {
  if (networks.length === 0) return true;
  const family = (of: string) => (isIP(of) === 6 ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  for (const network of networks) {
    const [start = '', bits] = network.split('/');
    list.addSubnet(start, Number(bits), family(start));
  }
  return list.check(address, family(address));
}
