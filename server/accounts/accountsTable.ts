import type { AccountListing } from './accounts.ts';

const HEADINGS = ['USERNAME', 'COMPANY', 'STATE', 'CREATED', 'ID'];
const GAP = '  ';

/** The accounts as an aligned table with a line of headings. */
export function accountsTable(accounts: AccountListing[]): string {
  const rows = accounts.map(({ username, company, disabled, createdAt, id }) => [
    username,
    company,
    disabled ? 'disabled' : 'enabled',
    createdAt.toISOString(),
    id,
  ]);
  const lines = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_heading, column) =>
    lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}
