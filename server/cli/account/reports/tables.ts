import type { AccountState } from '../../../accounts/accountState.ts';
import type { AuditListing } from '../../../accounts/auditLines.ts';
import { endTime } from '../../arguments/typedTimes.ts';
import type { KeyListing } from '../keyListing.ts';
import type { AccountListing } from '../listCommand.ts';
import { alignedTable } from './alignedTable.ts';
import { type CsvFormat, csv } from './csv.ts';
import type { LedgerLine } from './tokensReport.ts';
import type { DayOfUsage } from './usage.ts';

const NO_ACCOUNT = '(no account)';
const NO_RECORD = 'No record matches.';
const STATES: Record<AccountState, string> = { OPEN: 'enabled', DISABLED: 'disabled', ENDED: 'EXPIRED' };

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

function timeOf(at: Date | null): string {
  return at?.toISOString() ?? '-';
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
