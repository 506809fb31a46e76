import { createHash, randomBytes } from 'node:crypto';
import { openAccounts } from '../accounts/accountValidity.ts';
import type { Account, AccountKey, KeyKind } from '../generated/prisma/client.ts';

/** Every key begins with this, so that people and scanners for leaked secrets recognise it. */
export const KEY_PREFIX = 'aop_';

const PREFIXES: Record<KeyKind, string> = { TOOL: `${KEY_PREFIX}tool_`, PLAYER: `${KEY_PREFIX}live_` };
const KEY_BYTES = 32;
const DAY_MS = 86_400_000;

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

/** Selects the keys that open something: neither they nor their accounts have ended. */
export function validKeys(now: Date) {
  return { expiresAt: { gt: now }, account: openAccounts(now) };
}

/** Selects the valid keys that end within so many days, by themselves or with their account. */
export function endingKeys(days: number, now: Date) {
  const ends = { lte: new Date(now.getTime() + days * DAY_MS) };
  return { AND: [validKeys(now), { OR: [{ expiresAt: ends }, { account: { validUntil: ends } }] }] };
}

/** Returns when a key opens nothing any more: at its own end or its account's, whichever comes first. */
export function keyExpiry(
  { expiresAt }: Pick<AccountKey, 'expiresAt'>,
  { validUntil }: Pick<Account, 'validUntil'>,
): Date {
  return validUntil !== null && validUntil < expiresAt ? validUntil : expiresAt;
}
