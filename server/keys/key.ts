import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../shared/durations.ts';
import { isOpen, openAccounts } from '../accounts/accountState.ts';
import type { Account, AccountKey, KeyKind, Prisma } from '../generated/prisma/client.ts';

/** Every key begins with this, so that people and scanners for leaked secrets recognise it. */
export const KEY_PREFIX = 'aop_';

const PREFIXES: Record<KeyKind, string> = { TOOL: `${KEY_PREFIX}tool_`, PLAYER: `${KEY_PREFIX}live_` };
const KEY_BYTES = 32;
/** Its last part is `KEY_BYTES` in base64url. */
const PLAYER_KEY = new RegExp(`^${PREFIXES.PLAYER}[\\w-]{43}(?![\\w-])`);

export function newKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(KEY_BYTES).toString('base64url');
}

export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

export function isKeyOfKind(text: string, kind: KeyKind): boolean {
  return text.startsWith(PREFIXES[kind]);
}

/** Returns the player's key with which a text begins; null if it begins with none, or with one of another length. */
export function playerKeyAt(text: string): string | null {
  return PLAYER_KEY.exec(text)?.[0] ?? null;
}

export function keyHashOf(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key).digest();
}

type KeyEnd = Pick<AccountKey, 'expiresAt'> & { account: Pick<Account, 'validUntil'> };

export function keyExpiry({ expiresAt, account: { validUntil } }: KeyEnd): Date {
  return validUntil !== null && validUntil < expiresAt ? validUntil : expiresAt;
}

export function isValidKey(key: KeyEnd & { account: Pick<Account, 'disabled'> }, now: Date): boolean {
  return key.expiresAt > now && isOpen(key.account, now);
}

export function validKeys(now: Date) {
  return { expiresAt: { gt: now }, account: openAccounts(now) } satisfies Prisma.AccountKeyWhereInput;
}

export function endingKeys(days: number, now: Date): Prisma.AccountKeyWhereInput {
  const soon = { lte: new Date(now.getTime() + days * DAY_MS) };
  return { ...validKeys(now), OR: [{ expiresAt: soon }, { account: { validUntil: soon } }] };
}
