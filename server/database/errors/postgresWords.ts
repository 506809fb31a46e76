import { codesOf, UNAVAILABLE_PRISMA_CODES, unavailableReason } from './isDatabaseUnavailable.ts';

/** SQLSTATEs of faults of a server or query. Messages of others may contain data, addresses or users. */
const CODES_WITH_SAFE_WORDS = /^(25|40|42|53|54|55|57|58|XX)...$/;
const QUOTED = /["'“”„‘’‚«»「」].*["'“”„‘’‚«»「」]/gs;
const ADDRESS = /\S+:\/\/\S+/g;

/** Returns PostgreSQL's message without what it quotes, which are values and names; null where no words are safe. */
export function wordsOfPostgres(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, originalCode, originalMessage } = codesOf(error);
  const [sqlState, message] = 'severity' in error ? [code, error.message] : [originalCode, originalMessage];
  if (typeof sqlState !== 'string' || !CODES_WITH_SAFE_WORDS.test(sqlState)) return null;
  return String(message).replace(QUOTED, '…').replace(ADDRESS, '[address]');
}

export function withPostgresWords(reason: string, error: unknown): string {
  const words = wordsOfPostgres(error) ?? UNAVAILABLE_PRISMA_CODES[reason];
  return words === undefined ? reason : `${reason}: ${words}`;
}

export function unavailableInWords(error: unknown): string | null {
  const reason = unavailableReason(error);
  return reason && withPostgresWords(reason, error);
}

export function failureInWords(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return unavailableInWords(error) ?? withPostgresWords(String(code ?? name), error);
}
