import { createHash, randomBytes } from 'node:crypto';
import { batched } from '../database/batched.ts';
import type { KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import type { Session } from './sessions.ts';

export type AccountKeys = {
  /**
   * The session that a key of this kind stands for; null when the key is unknown, revoked or expired, or its account is disabled.
   * Asks the database each time, so that revoking a key holds on every instance at the next request.
   */
  find(kind: KeyKind, key: string): Promise<Session | null>;
};

const KEY_BYTES = 32;

/** The beginning that every key has, by which people and scanners for leaked secrets recognise one. */
const MARK = 'aop_';
const PREFIXES: Record<KeyKind, string> = { TOOL: `${MARK}tool_`, PLAYER: `${MARK}live_` };

/** The beginning of a player's address; its key follows. */
export const LIVE_PATH = '/live/';

/** Keys of accounts, for tools and players (docs/decisions/0029-keys.md). */
export function createAccountKeys(prisma: PrismaClient, clock: () => Date): AccountKeys {
  const findRow = batched(async (hashes: readonly Buffer<ArrayBuffer>[]) => {
    const rows = await prisma.accountKey.findMany({
      where: { keyHash: { in: [...hashes] } },
      include: { account: { select: { company: true, disabled: true } } },
    });
    const byHash = new Map(rows.map((row) => [Buffer.from(row.keyHash).toString('hex'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
  });

  return {
    async find(kind, key) {
      // The prefix is hashed too, so that no key can be sent as one of the other kind.
      if (!key.startsWith(PREFIXES[kind])) return null;
      const row = await findRow(keyHashOf(key));
      if (row === null || row.account.disabled || row.expiresAt <= clock()) return null;
      return { id: row.accountId, company: row.account.company, expiry: row.expiresAt, keyName: row.name };
    },
  };
}

/** Whether a text was meant as a key, of either kind, and not as a session JWT. */
export function isKey(text: string): boolean {
  return text.startsWith(MARK);
}

/** Makes a key of 256 random bits. */
export function newKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(KEY_BYTES).toString('base64url');
}

/** The SHA-256 that is kept of a key. */
export function keyHashOf(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key).digest();
}
