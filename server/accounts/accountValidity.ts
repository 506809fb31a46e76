import type { FastifyBaseLogger } from 'fastify';
import type { Account, PrismaClient } from '../generated/prisma/client.ts';

const DAY_MS = 86_400_000;

// For the alert AudioAccountsEnd.
const NOTICE_DAYS = 30;

/** For a command that finds another account than it read, or none. */
export const ACCOUNT_CHANGED = 'the account was changed meanwhile: run it again';

export type ExpiryLog = Pick<FastifyBaseLogger, 'info'>;

export function isOpen(
  account: Pick<Account, 'id' | 'disabled' | 'validUntil'>,
  now: Date,
  log?: ExpiryLog,
): boolean {
  if (account.disabled) return false;
  if (!hasEnded(account, now)) return true;
  log?.info({ account: account.id }, 'the account has ended: extend it, if the partner may go on');
  return false;
}

export function hasEnded({ validUntil }: Pick<Account, 'validUntil'>, now: Date): boolean {
  return validUntil !== null && validUntil <= now;
}

/** Selects the accounts that `isOpen` accepts. */
export function openAccounts(now: Date) {
  return { disabled: false, OR: [{ validUntil: null }, { validUntil: { gt: now } }] };
}

export function endsWithin(days: number, now: Date) {
  return { disabled: false, validUntil: { gt: now, lte: new Date(now.getTime() + days * DAY_MS) } };
}

export function countEndingAccounts(prisma: PrismaClient, now: Date): Promise<number> {
  return prisma.account.count({ where: endsWithin(NOTICE_DAYS, now) });
}
