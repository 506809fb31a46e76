import type { Account } from './storage.ts';

/** The record to keep in the place of `ours`, whose company has another name by now; null when there is nothing to renew. */
export function renewedAccount(ours: Account | null, session: Account | null | undefined): Account | null {
  if (!ours || !session || session.id !== ours.id || session.company === ours.company) return null;
  return { id: session.id, company: session.company };
}
