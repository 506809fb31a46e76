import type { FastifyBaseLogger } from 'fastify';
import { DAY_MS } from '../../shared/durations.ts';
import type { Account, Prisma, PrismaClient } from '../generated/prisma/client.ts';

export type AccountState = 'OPEN' | 'DISABLED' | 'ENDED';

type Openness = Pick<Account, 'disabled' | 'validUntil'>;

export type LockedAccount = Openness &
  Pick<Account, 'id' | 'username' | 'company' | 'credentialsVersion' | 'updatedAt'>;

// The alert AudioAccountsEnd names the same number.
const ENDS_SOON_DAYS = 30;

export type ExpiryLog = Pick<FastifyBaseLogger, 'info'>;

export function accountState({ disabled, validUntil }: Openness, now: Date): AccountState {
  if (disabled) return 'DISABLED';
  return validUntil !== null && validUntil <= now ? 'ENDED' : 'OPEN';
}

export function isOpen(account: Openness, now: Date): boolean {
  return accountState(account, now) === 'OPEN';
}

export function isOpenElseLog(account: Openness & { id: string }, now: Date, log?: ExpiryLog): boolean {
  const state = accountState(account, now);
  if (state === 'ENDED') {
    log?.info({ account: account.id }, 'the account has ended: extend it, if the partner may go on');
  }
  return state === 'OPEN';
}

export function openAccounts(now: Date) {
  return {
    disabled: false,
    OR: [{ validUntil: null }, { validUntil: { gt: now } }],
  } satisfies Prisma.AccountWhereInput;
}

/**
 * Locks the account until the transaction ends: nobody changes it, or starts a session of it, before that.
 * @returns null when it was deleted
 */
export async function lockAccount(
  transaction: Pick<Prisma.TransactionClient, '$queryRaw'>,
  id: string,
): Promise<LockedAccount | null> {
  // Raw SQL, since Prisma cannot lock rows.
  const [account] = await transaction.$queryRaw<LockedAccount[]>`
    SELECT id, username, company, disabled, valid_until AS "validUntil", credentials_version AS "credentialsVersion",
      updated_at AS "updatedAt"
    FROM public.accounts WHERE id = ${id} FOR NO KEY UPDATE`;
  return account ?? null;
}

export function countEndingAccounts(prisma: PrismaClient, now: Date): Promise<number> {
  const soon = new Date(now.getTime() + ENDS_SOON_DAYS * DAY_MS);
  return prisma.account.count({ where: { disabled: false, validUntil: { gt: now, lte: soon } } });
}
