import type { AccountListing } from '../accountStore.ts';
import { alignedTable } from './alignedTable.ts';

const HEADINGS = ['USERNAME', 'COMPANY', 'STATE', ' KEYS', 'CREATED', 'ID'];

export function accountsTable(accounts: AccountListing[]): string {
  const rows = accounts.map(({ username, company, disabled, keys, createdAt, id }) => [
    username,
    company,
    disabled ? 'disabled' : 'enabled',
    String(keys),
    createdAt.toISOString(),
    id,
  ]);
  return alignedTable(HEADINGS, rows);
}
