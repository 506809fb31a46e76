import type { AccountState } from '../../../accounts/accountState.ts';
import type { AuditListing } from '../../../accounts/auditLines.ts';
import type { Account, AccountKey } from '../../../generated/prisma/client.ts';
import { escapeInvisible } from '../../../observing/sanitizing.ts';
import { endTime } from '../../arguments/typedTimes.ts';
import type { DayOfUsage, LedgerLine } from './tokensReport.ts';

export type AccountListing = Omit<Account, 'passwordHash' | 'credentialsVersion' | 'attemptsVersion'> & {
  state: AccountState;
  keys: number;
  lastTokenAt: Date | null;
};

export type KeyListing = Omit<AccountKey, 'id' | 'accountId' | 'keyHash'> & {
  username: string;
  isValid: boolean;
};

const NO_ACCOUNT = '(no account)';
const NO_RECORD = 'No record matches.';
const STATES: Record<AccountState, string> = { OPEN: 'enabled', DISABLED: 'disabled', ENDED: 'EXPIRED' };

const GAP = '  ';

/**
 * The characters that begin a formula (OWASP, "CSV Injection"), also in full width. Spreadsheets in Spanish start a
 * new cell at each semicolon, even inside quotes.
 */
const FORMULA = /(^|;)(["\s]*[=+\-@＝＋－＠])/g;

/** `spreadsheet`: as spreadsheets in Spanish read it; `plain`: with commas (RFC 4180), for programs. */
export type CsvFormat = 'spreadsheet' | 'plain';

const SEPARATORS: Record<CsvFormat, string> = { spreadsheet: ';', plain: ',' };
/** Tells Excel that the file is UTF-8; it would read Windows-1252. */
const BYTE_ORDER_MARK = '\u{FEFF}';

export function accountsTable(accounts: AccountListing[], none: string): string {
  return alignedTable(accounts, none, {
    USERNAME: ({ username }) => username,
    COMPANY: ({ company }) => company,
    STATE: ({ state }) => STATES[state],
    'UNTIL (UTC)': ({ validUntil }) => (validUntil ? endTime(validUntil) : '-'),
    ' KEYS': ({ keys }) => String(keys),
    'CREATED (UTC)': ({ createdAt }) => timeOf(createdAt),
    'LAST SIGN-IN (UTC)': ({ lastSignInAt }) => timeOf(lastSignInAt),
    'LAST TOKEN (UTC)': ({ lastTokenAt }) => timeOf(lastTokenAt),
    ID: ({ id }) => id,
  });
}

export function keysTable(keys: KeyListing[]): string {
  return alignedTable(keys, 'No key matches.', {
    USERNAME: ({ username }) => username,
    NAME: ({ name }) => name,
    KIND: ({ kind }) => kind.toLowerCase(),
    STATE: ({ isValid }) => (isValid ? 'active' : 'expired'),
    'CREATED (UTC)': ({ createdAt }) => timeOf(createdAt),
    'EXPIRY (UTC)': ({ expiresAt }) => endTime(expiresAt),
    'LAST USE (UTC)': ({ lastUsedAt }) => timeOf(lastUsedAt),
    FROM: ({ networks }) => networks.join(', ') || 'everywhere',
  });
}

export function auditTable(changes: AuditListing[]): string {
  return alignedTable(changes, 'No change matches.', {
    'TIME (UTC)': ({ at }) => timeOf(at),
    OPERATOR: ({ operator }) => operator,
    COMMAND: ({ command }) => command,
    USERNAME: ({ username }) => username ?? '-',
    DETAILS: ({ details }) => details ?? '',
  });
}

export function usageTable(days: DayOfUsage[]): string {
  return alignedTable(days, NO_RECORD, {
    COMPANY: ({ company }) => company ?? NO_ACCOUNT,
    'DAY (UTC)': ({ day }) => day,
    ' TOKENS': ({ tokens }) => String(tokens),
    ' PROVIDER FAILURES': ({ providerFailures }) => String(providerFailures),
  });
}

export function usageCsv(days: DayOfUsage[], format: CsvFormat): string {
  return csv(days, format, {
    company: ({ company }) => company ?? '',
    day_utc: ({ day }) => day,
    tokens: ({ tokens }) => tokens,
    provider_failures: ({ providerFailures }) => providerFailures,
  });
}

export function tokenRecordsTable(lines: LedgerLine[]): string {
  return alignedTable(lines, NO_RECORD, {
    'TIME (UTC)': ({ createdAt }) => timeOf(createdAt),
    COMPANY: ({ company }) => company ?? NO_ACCOUNT,
    USERNAME: ({ username, accountId }) => username ?? accountId,
    OUTCOME: ({ outcome }) => outcome.toLowerCase(),
    ADDRESS: ({ address }) => address ?? '-',
    CLIENT: ({ client }) => client.toLowerCase(),
    KEY: ({ keyName }) => keyName ?? '-',
    'EXPIRY (UTC)': ({ expiresAt }) => timeOf(expiresAt),
  });
}

export function tokenRecordsCsv(lines: LedgerLine[], format: CsvFormat): string {
  return csv(lines, format, {
    time_utc: ({ createdAt }) => createdAt.toISOString(),
    company: ({ company }) => company ?? '',
    username: ({ username }) => username ?? '',
    account_id: ({ accountId }) => accountId,
    outcome: ({ outcome }) => outcome.toLowerCase(),
    address: ({ address }) => address ?? '',
    client: ({ client }) => client.toLowerCase(),
    expiry_utc: ({ expiresAt }) => expiresAt?.toISOString() ?? '',
    key: ({ keyName }) => keyName ?? '',
  });
}

/** A heading that begins with a space aligns its column to the right. */
export function alignedTable<Row>(
  rows: Row[],
  none: string,
  columns: Record<string, (row: Row) => string>,
): string {
  if (rows.length === 0) return none;
  const texts = Object.entries(columns).map(([heading, cellOf]) => {
    const cells = [heading.trim(), ...rows.map((row) => escapeInvisible(cellOf(row)))];
    const width = cells.reduce((widest, cell) => Math.max(widest, cell.length), 0);
    return cells.map((cell) => (heading.startsWith(' ') ? cell.padStart(width) : cell.padEnd(width)));
  });
  const lines = Array.from({ length: rows.length + 1 }, (_, line) => texts.map((cells) => cells[line]));
  return lines.map((cells) => cells.join(GAP).trimEnd()).join('\n');
}

export function csv<Row>(
  rows: Row[],
  format: CsvFormat,
  columns: Record<string, (row: Row) => string | number>,
): string {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const lines = [Object.keys(columns), ...cells].map((row) => row.map(csvField).join(SEPARATORS[format]));
  return (format === 'spreadsheet' ? BYTE_ORDER_MARK : '') + lines.map((line) => `${line}\r\n`).join('');
}

function timeOf(at: Date | null): string {
  return at?.toISOString() ?? '-';
}

function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = escapeInvisible(value).replace(FORMULA, "$1'$2");
  return /[",;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
