import { alignedTable } from './alignedTable.ts';
import { csv } from './csv.ts';
import type { LedgerLine } from './tokenRecords.ts';
import { NO_ACCOUNT } from './usageReport.ts';

const HEADINGS = ['TIME (UTC)', 'COMPANY', 'USERNAME', 'OUTCOME', 'ADDRESS', 'CLIENT', 'KEY', 'EXPIRY (UTC)'];
const CSV_HEADER = [
  'time_utc',
  'company',
  'username',
  'account_id',
  'outcome',
  'address',
  'client',
  'expiry_utc',
  'key',
];

export function tokenRecordsTable(lines: LedgerLine[]): string {
  const rows = lines.map((line) => [
    line.at.toISOString(),
    line.company ?? NO_ACCOUNT,
    line.username ?? line.accountId,
    line.outcome.toLowerCase(),
    line.address ?? '-',
    line.client.toLowerCase(),
    line.keyName ?? '-',
    line.expiry?.toISOString() ?? '-',
  ]);
  return alignedTable(HEADINGS, rows);
}

export function tokenRecordsCsv(lines: LedgerLine[]): string {
  const rows = lines.map((line) => [
    line.at.toISOString(),
    line.company ?? '',
    line.username ?? '',
    line.accountId,
    line.outcome.toLowerCase(),
    line.address ?? '',
    line.client.toLowerCase(),
    line.expiry?.toISOString() ?? '',
    line.keyName ?? '',
  ]);
  return csv(CSV_HEADER, rows);
}
