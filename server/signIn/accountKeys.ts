import { createHash, randomBytes } from 'node:crypto';
import { batched } from '../database/batched.ts';
import type { KeyKind, PrismaClient } from '../generated/prisma/client.ts';
import type { Session } from './sessions.ts';

export type AccountKeys = {
  /**
   * Returns the session of a key of this kind, or null when the key is unknown, revoked or expired, or its account is disabled.
   * Asks the database each time, so that every instance refuses a revoked key from the next request on.
   */
  find(kind: KeyKind, key: string): Promise<Session | null>;
};

const KEY_BYTES = 32;

/** Every key begins with this, so that people and scanners for leaked secrets recognise it. */
const MARK = 'aop_';
const PREFIXES: Record<KeyKind, string> = { TOOL: `${MARK}tool_`, PLAYER: `${MARK}live_` };

/** The path of a player's address, directly followed by its key. */
export const LIVE_PATH = '/live/';

/** Finds the sessions of keys, which tools and players send instead of a JWT (docs/decisions/0029-keys.md). */
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
      // Hashing the prefix too makes a key of one kind useless as one of the other.
      if (!key.startsWith(PREFIXES[kind])) return null;
      const row = await findRow(keyHashOf(key));
      if (row === null || row.account.disabled || row.expiresAt <= clock()) return null;
      return { id: row.accountId, company: row.account.company, expiry: row.expiresAt, keyName: row.name };
    },
  };
}

/** Returns whether a text is meant as a key (of either kind) rather than a session JWT. */
export function isKey(text: string): boolean {
  return text.startsWith(MARK);
}

/** Makes a key of 256 random bits. */
export function newKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(KEY_BYTES).toString('base64url');
}

/** Returns the SHA-256 of a key, under which the database stores it. */
export function keyHashOf(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key).digest();
}
