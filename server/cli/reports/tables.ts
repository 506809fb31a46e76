import { hasEnded } from '../../signIn/accountValidity.ts';
import { clientOf } from '../../streamTokens/tokenLedger.ts';
import type { AccountListing } from '../accountStore.ts';
import type { AuditListing } from '../audit.ts';
import type { KeyListing } from '../keyStore.ts';
import { endAsTyped } from '../typedTimes.ts';
import { alignedTable } from './alignedTable.ts';
import { csv } from './csv.ts';
import type { LedgerLine } from './tokensReport.ts';
import type { DayOfUsage } from './usage.ts';

const NO_ACCOUNT = '(no account)';

export function accountsTable(accounts: AccountListing[], now: Date): string {
  return alignedTable(
    [
      'USERNAME',
      'COMPANY',
      'STATE',
      'UNTIL (UTC)',
      ' KEYS',
      'CREATED (UTC)',
      'LAST SIGN-IN (UTC)',
      'LAST TOKEN (UTC)',
      'ID',
    ],
    accounts.map((account) => [
      account.username,
      account.company,
      stateOf(account, now),
      account.validUntil ? endAsTyped(account.validUntil) : '-',
      String(account.keys),
      account.createdAt.toISOString(),
      timeOf(account.lastSignInAt),
      timeOf(account.lastTokenAt),
      account.id,
    ]),
  );
}

function stateOf(account: AccountListing, now: Date): string {
  if (account.disabled) return 'disabled';
  return hasEnded(account, now) ? 'EXPIRED' : 'enabled';
}

function timeOf(at: Date | null): string {
  return at?.toISOString() ?? '-';
}

export function keysTable(keys: KeyListing[], now: Date): string {
  return alignedTable(
    ['USERNAME', 'NAME', 'KIND', 'STATE', 'CREATED (UTC)', 'EXPIRY (UTC)', 'LAST USE (UTC)', 'FROM'],
    keys.map(({ username, name, kind, createdAt, expiresAt, lastUsedAt, networks }) => [
      username,
      name,
      kind.toLowerCase(),
      expiresAt <= now ? 'expired' : 'active',
      createdAt.toISOString(),
      expiresAt.toISOString(),
      timeOf(lastUsedAt),
      networks.join(', ') || 'everywhere',
    ]),
  );
}

export function auditTable(changes: AuditListing[]): string {
  return alignedTable(
    ['TIME (UTC)', 'OPERATOR', 'COMMAND', 'USERNAME', 'DETAILS'],
    changes.map(({ at, operator, command, username, details }) => [
      at.toISOString(),
      operator,
      command,
      username ?? '-',
      details ?? '',
    ]),
  );
}

export function usageTable(days: DayOfUsage[]): string {
  return alignedTable(
    ['COMPANY', 'DAY (UTC)', ' TOKENS', ' PROVIDER FAILURES'],
    days.map(({ company, day, tokens, providerFailures }) => [
      company ?? NO_ACCOUNT,
      day,
      String(tokens),
      String(providerFailures),
    ]),
  );
}

export function usageCsv(days: DayOfUsage[]): string {
  return csv(
    ['company', 'day_utc', 'tokens', 'provider_failures'],
    days.map(({ company, day, tokens, providerFailures }) => [company ?? '', day, tokens, providerFailures]),
  );
}

export function tokenRecordsTable(lines: LedgerLine[]): string {
  return alignedTable(
    ['TIME (UTC)', 'COMPANY', 'USERNAME', 'OUTCOME', 'ADDRESS', 'CLIENT', 'KEY', 'EXPIRY (UTC)'],
    lines.map((line) => [
      line.createdAt.toISOString(),
      line.company ?? NO_ACCOUNT,
      line.username ?? line.accountId,
      line.outcome.toLowerCase(),
      line.address ?? '-',
      clientOf(line).toLowerCase(),
      line.keyName ?? '-',
      line.expiresAt?.toISOString() ?? '-',
    ]),
  );
}

export function tokenRecordsCsv(lines: LedgerLine[]): string {
  return csv(
    ['time_utc', 'company', 'username', 'account_id', 'outcome', 'address', 'client', 'expiry_utc', 'key'],
    lines.map((line) => [
      line.createdAt.toISOString(),
      line.company ?? '',
      line.username ?? '',
      line.accountId,
      line.outcome.toLowerCase(),
      line.address ?? '',
      clientOf(line).toLowerCase(),
      line.expiresAt?.toISOString() ?? '',
      line.keyName ?? '',
    ]),
  );
}
