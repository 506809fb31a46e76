import { alignedTable } from './alignedTable.ts';
import { csv } from './csv.ts';
import type { DayOfUsage } from './usage.ts';

const HEADINGS = ['COMPANY', 'DAY (UTC)', ' TOKENS', ' REFUSED', ''];
const CSV_HEADER = ['company', 'day_utc', 'tokens', 'refused'];
export const NO_ACCOUNT = '(no account)';

const BAR_LENGTH = 20;
const TOKENS_MARK = '█';
const REFUSED_MARK = '░';

/** Formats the days as a table, each with a bar relative to the busiest day. */
export function usageTable(days: DayOfUsage[]): string {
  const most = days.reduce((found, { tokens, refused }) => Math.max(found, tokens + refused), 0);
  const part = (mark: string, count: number) =>
    mark.repeat(count === 0 ? 0 : Math.max(1, Math.round((count / most) * BAR_LENGTH)));
  const rows = days.map(({ company, day, tokens, refused }) => [
    company ?? NO_ACCOUNT,
    day,
    String(tokens),
    String(refused),
    part(TOKENS_MARK, tokens) + part(REFUSED_MARK, refused),
  ]);
  return alignedTable(HEADINGS, rows);
}

/** Formats the days as CSV. The company of deleted accounts is empty. */
export function usageCsv(days: DayOfUsage[]): string {
  const rows = days.map(({ company, day, tokens, refused }) => [company ?? '', day, tokens, refused]);
  return csv(CSV_HEADER, rows);
}
