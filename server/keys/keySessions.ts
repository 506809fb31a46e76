import { BlockList, isIP } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '../../shared/durations.ts';
import { ACCOUNT_STATE, type AccountState, isOpen } from '../accounts/accountState.ts';
import { batched } from '../database/batched.ts';
import type { AccountKey, KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import type { Session } from '../signIn/sessions.ts';
import { isEndingKey, isKeyOfKind, KEY_EXPIRY, keyHashOf } from './key.ts';

export type KeyCaller = { address: string; log: Pick<FastifyBaseLogger, 'info' | 'warn'> };

export type KeySessions = ReturnType<typeof createKeySessions>;

const USE_NOTED_EVERY_MS = MINUTE_MS;

// For the alert AudioKeysEnd.
const ENDS_SOON_DAYS = 30;

type KeyRow = Pick<AccountKey, 'id' | 'keyHash' | 'accountId' | 'name' | 'networks' | 'expiresAt'> & {
  company: string;
  state: AccountState;
  expiry: Date;
  lastUsed: Date | null;
};

export function createKeySessions(prisma: PrismaClient, clock: () => Date) {
  const findRow = batched(async (hashes: readonly Buffer<ArrayBuffer>[]) => {
    const rows = await prisma.$queryRaw<KeyRow[]>`
      SELECT account_keys.id, key_hash AS "keyHash", account_id AS "accountId", company, ${ACCOUNT_STATE} AS state,
        name, networks, expires_at AS "expiresAt", ${KEY_EXPIRY} AS expiry, last_used_at AS "lastUsed"
      FROM account_keys JOIN accounts ON accounts.id = account_id
      WHERE key_hash = ANY (${hashes}::bytea[])`;
    const byHash = new Map(rows.map((row) => [Buffer.from(row.keyHash).toString('hex'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
  });

  return {
    /**
     * Returns null when the key is unknown, of another kind, revoked, expired or bound to other networks, or its
     * account is disabled or has ended. Asks the database each time, so that every instance refuses a revoked key from
     * the next request on.
     */
    async find(kind: KeyKind, key: string, { address, log }: KeyCaller): Promise<Session | null> {
      // The stored hash covers the prefix: a player's key with the prefix of a tool's key is unknown.
      if (!isKeyOfKind(key, kind)) return null;
      const row = await findRow(keyHashOf(key));
      if (row === null || row.expiresAt <= clock()) return null;
      const { id, accountId, company, state, name, networks, expiry, lastUsed } = row;
      if (!isOpen({ id: accountId, state }, log)) return null;
      if (!isWithin(networks, address)) {
        log.warn({ account: accountId, key: name, address }, 'a key was sent from outside its networks');
        return null;
      }
      return { id, accountId, company, expiry, key: { name, expiry, lastUsed } };
    },

    /**
     * Notes the use of a session's key, if it has one, at most once a minute. Never rejects: a use that cannot be noted,
     * while the database can only be read, refuses nobody.
     */
    async noteUse({ id, key }: Session): Promise<void> {
      if (key === null) return;
      const now = clock();
      if (key.lastUsed !== null && now.getTime() - key.lastUsed.getTime() < USE_NOTED_EVERY_MS) return;
      await prisma.accountKey.updateMany({ where: { id }, data: { lastUsedAt: now } }).catch(() => undefined);
    },

    async countEnding(): Promise<number> {
      const [ending] = await prisma.$queryRaw<[{ count: number }]>`
        SELECT count(*)::integer AS count FROM account_keys JOIN accounts ON accounts.id = account_id
        WHERE ${isEndingKey(ENDS_SOON_DAYS, clock())}`;
      return ending.count;
    },
  };
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
