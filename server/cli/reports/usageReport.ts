import { alignedTable } from './alignedTable.ts';
import { csv } from './csv.ts';
import type { DayOfUsage } from './usage.ts';

const HEADINGS = ['COMPANY', 'DAY (UTC)', ' TOKENS', ' PROVIDER FAILURES'];
const CSV_HEADER = ['company', 'day_utc', 'tokens', 'provider_failures'];
export const NO_ACCOUNT = '(no account)';

export function usageTable(days: DayOfUsage[]): string {
  const rows = days.map(({ company, day, tokens, providerFailures }) => [
    company ?? NO_ACCOUNT,
    day,
    String(tokens),
    String(providerFailures),
  ]);
  return alignedTable(HEADINGS, rows);
}

export function usageCsv(days: DayOfUsage[]): string {
  const rows = days.map(({ company, day, tokens, providerFailures }) => [
    company ?? '',
    day,
    tokens,
    providerFailures,
  ]);
  return csv(CSV_HEADER, rows);
}
