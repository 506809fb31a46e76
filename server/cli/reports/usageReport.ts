import { alignedTable } from './alignedTable.ts';
import { csv } from './csv.ts';
import type { DayOfUsage } from './usage.ts';

const HEADINGS = ['COMPANY', 'DAY (UTC)', ' TOKENS', ' PROVIDER FAILURES', ''];
const CSV_HEADER = ['company', 'day_utc', 'tokens', 'provider_failures'];
export const NO_ACCOUNT = '(no account)';

const BAR_LENGTH = 20;
const TOKENS_MARK = '█';
const FAILURE_MARK = '░';

/** Formats the days as a table, each with a bar relative to the busiest day. */
export function usageTable(days: DayOfUsage[]): string {
  const most = days.reduce(
    (found, { tokens, providerFailures }) => Math.max(found, tokens + providerFailures),
    0,
  );
  const part = (mark: string, count: number) =>
    mark.repeat(count === 0 ? 0 : Math.max(1, Math.round((count / most) * BAR_LENGTH)));
  const rows = days.map(({ company, day, tokens, providerFailures }) => [
    company ?? NO_ACCOUNT,
    day,
    String(tokens),
    String(providerFailures),
    part(TOKENS_MARK, tokens) + part(FAILURE_MARK, providerFailures),
  ]);
  return alignedTable(HEADINGS, rows);
}

/** Formats the days as CSV. The company of unknown accounts is empty. */
export function usageCsv(days: DayOfUsage[]): string {
  const rows = days.map(({ company, day, tokens, providerFailures }) => [
    company ?? '',
    day,
    tokens,
    providerFailures,
  ]);
  return csv(CSV_HEADER, rows);
}
