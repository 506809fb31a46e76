import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../shared/durations.ts';
import { isOpen, openAccounts } from '../accounts/accountState.ts';
import type { Account, AccountKey, KeyKind, Prisma } from '../generated/prisma/client.ts';

/** Every key begins with this, so that people and scanners for leaked secrets recognise it. */
export const KEY_PREFIX = 'aop_';

const PREFIXES: Record<KeyKind, string> = { TOOL: `${KEY_PREFIX}tool_`, PLAYER: `${KEY_PREFIX}live_` };
const KEY_BYTES = 32;
/** 43 characters of base64url hold `KEY_BYTES`. */
const PLAYER_KEY = new RegExp(`^${PREFIXES.PLAYER}[\\w-]{43}(?![\\w-])`);

type KeyEnd = Pick<AccountKey, 'expiresAt'> & { account: Pick<Account, 'validUntil'> };

export function newKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(KEY_BYTES).toString('base64url');
}

export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

export function isKeyOfKind(text: string, kind: KeyKind): boolean {
  return text.startsWith(PREFIXES[kind]);
}

export function playerKeyAt(text: string): string | null {
  return PLAYER_KEY.exec(text)?.[0] ?? null;
}

export function keyFormFault(text: string, kind: KeyKind): string | null {
  const other = kind === 'TOOL' ? 'PLAYER' : 'TOOL';
  if (isKeyOfKind(text, other)) {
    return kind === 'TOOL'
      ? "This is a player's key, which opens its own address under /live alone: the API takes keys that begin with aop_tool_"
      : "This is a tool's key, which the API takes: a player's address has a key that begins with aop_live_";
  }
  if (!isKeyOfKind(text, kind)) return `A key begins with ${PREFIXES[kind]}: copy it again as a whole`;
  const part = text.slice(PREFIXES[kind].length);
  if (/^[\w-]{43}$/.test(part)) return null;
  return `The key has ${part.length} characters after ${PREFIXES[kind]}, and not 43 letters, digits, - and _: copy it again as a whole`;
}

export function keyHashOf(key: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(key).digest();
}

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
