import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../shared/durations.ts';
import { IS_OPEN } from '../accounts/accountState.ts';
import { type KeyKind, Prisma } from '../generated/prisma/client.ts';

/** Every key begins with this, so that people and scanners for leaked secrets recognise it. */
export const KEY_PREFIX = 'aop_';

const PREFIXES: Record<KeyKind, string> = { TOOL: `${KEY_PREFIX}tool_`, PLAYER: `${KEY_PREFIX}live_` };
const KEY_BYTES = 32;

export function newKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(KEY_BYTES).toString('base64url');
}

export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

export function isKeyOfKind(text: string, kind: KeyKind): boolean {
  return text.startsWith(PREFIXES[kind]);
}

export function keyHashOf(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key).digest();
}

/** SQL for a row of `account_keys` joined with `accounts`: when the key ends, by itself or with its account. */
export const KEY_EXPIRY = Prisma.sql`LEAST(account_keys.expires_at, accounts.valid_until)`;

/**
 * SQL for a row of `account_keys` joined with `accounts`: whether the key opens something. Its own end goes by the clock
 * of this process, like a session's; its account's end by that of the database.
 */
export function isValidKey(now: Date): Prisma.Sql {
  return Prisma.sql`(account_keys.expires_at > ${now} AND ${IS_OPEN})`;
}

export function isEndingKey(days: number, now: Date): Prisma.Sql {
  const soon = new Date(now.getTime() + days * DAY_MS);
  return Prisma.sql`(${isValidKey(now)} AND ${KEY_EXPIRY} <= ${soon})`;
}
