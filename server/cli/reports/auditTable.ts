import type { AuditListing } from '../audit.ts';
import { alignedTable } from './alignedTable.ts';

const HEADINGS = ['TIME (UTC)', 'OPERATOR', 'COMMAND', 'USERNAME', 'DETAILS'];

export function auditTable(changes: AuditListing[]): string {
  const rows = changes.map(({ at, operator, command, username, details }) => [
    at.toISOString(),
    operator,
    command,
    username ?? '-',
    details ?? '',
  ]);
  return alignedTable(HEADINGS, rows);
}
