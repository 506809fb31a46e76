import type { FastifyBaseLogger } from 'fastify';
import { DAY_MS } from '../../shared/durations.ts';
import { OperatorError } from '../errors.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

export type AccountState = 'OPEN' | 'DISABLED' | 'ENDED';

/** SQL for a row of `accounts`. Conditions of Prisma would compare with the clock of this process. */
export const ACCOUNT_STATE = Prisma.sql`
  CASE WHEN accounts.disabled THEN 'DISABLED' WHEN accounts.valid_until <= now() THEN 'ENDED' ELSE 'OPEN' END`;

export const IS_OPEN = Prisma.sql`(${ACCOUNT_STATE} = 'OPEN')`;

export const ACCOUNT_CHANGED = 'the account was changed meanwhile: run it again';

const REFUSALS: Partial<Record<AccountState, string>> = {
  DISABLED: 'the account is disabled: enable it first',
  ENDED: 'the account has ended: extend it first',
};

// For the alert AudioAccountsEnd.
const ENDS_SOON_DAYS = 30;

export type ExpiryLog = Pick<FastifyBaseLogger, 'info'>;

/** Whether the account is neither disabled nor ended; logs the latter. */
export function isOpen({ id, state }: { id: string; state: AccountState }, log?: ExpiryLog): boolean {
  if (state === 'ENDED') {
    log?.info({ account: id }, 'the account has ended: extend it, if the partner may go on');
  }
  return state === 'OPEN';
}

/**
 * Locks the account for the transaction: nobody disables it, or changes its end, before that ends.
 * @returns when the account ends, null for never
 */
export async function requireOpen(
  transaction: Pick<Prisma.TransactionClient, '$queryRaw'>,
  id: string,
): Promise<Date | null> {
  const [account] = await transaction.$queryRaw<Array<{ state: AccountState; validUntil: Date | null }>>`
    SELECT ${ACCOUNT_STATE} AS state, valid_until AS "validUntil" FROM accounts WHERE id = ${id} FOR SHARE`;
  if (account === undefined) throw new OperatorError(ACCOUNT_CHANGED);
  const refusal = REFUSALS[account.state];
  if (refusal !== undefined) throw new OperatorError(refusal);
  return account.validUntil;
}

export async function countEndingAccounts(prisma: PrismaClient, now: Date): Promise<number> {
  const soon = new Date(now.getTime() + ENDS_SOON_DAYS * DAY_MS);
  const [ending] = await prisma.$queryRaw<[{ count: number }]>`
    SELECT count(*)::integer AS count FROM accounts WHERE ${IS_OPEN} AND valid_until <= ${soon}`;
  return ending.count;
}
