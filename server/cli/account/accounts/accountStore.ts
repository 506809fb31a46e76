import { DAY_MS } from '../../../../shared/durations.ts';
import {
  ACCOUNT_CHANGED,
  type AccountState,
  accountState,
  lockAccount,
} from '../../../accounts/accountState.ts';
import { type AuditedDatabase, writeAuditLine } from '../../../accounts/auditLines.ts';
import { OperatorError } from '../../../errors.ts';
import { type Account, Prisma, type PrismaClient } from '../../../generated/prisma/client.ts';
import { isValidKey } from '../../../keys/key.ts';
import { hashPassword } from '../../../signIn/password.ts';
import { isValidSession } from '../../../signIn/sessions.ts';
import type { FoundAccount } from '../../arguments/accountSelector.ts';
import { accountSchema, parseFields } from '../../arguments/fieldRules.ts';
import { endTime } from '../../arguments/typedTimes.ts';
import { UsageError } from '../../cliProcess.ts';
import { countValidKeys } from '../keys/keyStore.ts';

export type AccountListing = Omit<Account, 'passwordHash' | 'credentialsVersion' | 'attemptsVersion'> & {
  state: AccountState;
  keys: number;
  lastTokenAt: Date | null;
};

export type PasswordSource = () => Promise<string>;

const USERNAME_TAKEN = 'there is already an account with this username';

export async function addAccount(
  { prisma, operator }: AuditedDatabase,
  { validUntil, ...fields }: { username: string; company: string; validUntil: Date | null },
  choosePassword: PasswordSource,
): Promise<{ id: string }> {
  const { username, company } = parseFields(accountSchema.pick({ username: true, company: true }), fields);
  refuseOuterBlanks({ username, company });
  const stored = await prisma.account.findUnique({ where: { username }, select: { id: true } });
  if (stored !== null) throw new OperatorError(USERNAME_TAKEN);
  const passwordHash = await hashChosen(choosePassword);
  return prisma.$transaction(async (transaction) => {
    const data = { username, company, passwordHash, validUntil };
    const added = await transaction.account.create({ data }).catch(throwIfTaken);
    await writeAuditLine(transaction, {
      operator,
      command: 'add',
      account: added,
      details: validUntil === null ? company : `${company}, ${endText(validUntil)}`,
    });
    return added;
  });
}

export async function listAccounts(
  prisma: PrismaClient,
  { search, days, now }: { search?: string | undefined; days?: number | undefined; now: Date },
): Promise<AccountListing[]> {
  const contains = { contains: literally(search ?? ''), mode: 'insensitive' } as const;
  const accounts = await prisma.account.findMany({
    where: {
      ...(search !== undefined && { OR: [{ username: contains }, { company: contains }, { id: contains }] }),
      ...(days !== undefined && { validUntil: { lte: new Date(now.getTime() + days * DAY_MS) } }),
    },
    omit: { passwordHash: true, credentialsVersion: true, attemptsVersion: true },
    include: { keys: { select: { expiresAt: true } } },
    orderBy: { username: 'asc' },
  });
  const lastTokens = await readLastTokens(
    prisma,
    accounts.map(({ id }) => id),
  );
  return accounts
    .map(({ keys, ...account }) => ({
      ...account,
      state: accountState(account, now),
      keys: keys.filter((key) => isValidKey({ ...key, account }, now)).length,
      lastTokenAt: lastTokens.get(account.id) ?? null,
    }))
    .filter(({ state }) => days === undefined || state === 'OPEN');
}

/** Raw SQL reads one row of the index for each account; Prisma's grouping would read the whole ledger. */
async function readLastTokens(prisma: PrismaClient, ids: string[]): Promise<Map<string, Date>> {
  const rows = await prisma.$queryRaw<Array<{ id: string; at: Date }>>`
    SELECT id, at FROM unnest(${ids}::text[]) AS account (id), LATERAL (
      SELECT created_at AS at FROM public.token_records
      WHERE account_id = account.id AND outcome = 'ISSUED' ORDER BY token_records.id DESC LIMIT 1
    ) AS newest`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export async function usernamesInOtherCase(prisma: PrismaClient, username: string): Promise<string[]> {
  const accounts = await prisma.account.findMany({
    where: { username: { equals: literally(username), mode: 'insensitive' }, NOT: { username } },
    select: { username: true },
  });
  return accounts.map((account) => account.username);
}

/** Escapes the wildcards of ILIKE, which Prisma does not for case-insensitive comparisons. */
function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

const ENDED_SESSIONS_AND_BROWSERS = { credentialsVersion: { increment: 1 } };

/** Resets the account's counted attempts: the version is part of their counters' subjects. */
const CLEARED_ATTEMPTS = { attemptsVersion: { increment: 1 } };

/**
 * Returns how many keys stay valid.
 * @throws {OperatorError} if the password was changed meanwhile, or the account disabled
 */
export async function setPassword(
  database: AuditedDatabase,
  account: FoundAccount,
  choosePassword: PasswordSource,
  now: Date,
): Promise<number> {
  const passwordHash = await hashChosen(choosePassword);
  const stayValid = await countValidKeys(database.prisma, account.id, now);
  const data = { passwordHash, ...ENDED_SESSIONS_AND_BROWSERS, ...CLEARED_ATTEMPTS };
  const { credentialsVersion } = account;
  await changeAccount(database, account, 'set-password', data, { unchanged: { credentialsVersion } });
  return stayValid;
}

export function extendAccount(
  database: AuditedDatabase,
  account: FoundAccount,
  validUntil: Date | null,
): Promise<void> {
  return changeAccount(database, account, 'extend', { validUntil }, { details: endText(validUntil) });
}

/**
 * Returns the number of sign-ins whose session was valid. Known browsers, keys and the password stay.
 * @throws {OperatorError} if the account was deleted meanwhile
 */
export async function endSessions(
  { prisma, operator }: AuditedDatabase,
  account: FoundAccount,
  now: Date,
): Promise<number> {
  const { id } = account;
  return prisma.$transaction(async (transaction) => {
    // Locked, so that no sign-in starts a session, and nobody ends them, between counting and deleting.
    const locked = await lockAccount(transaction, id);
    if (locked === null) throw new OperatorError(ACCOUNT_CHANGED);
    const sessions = await transaction.session.findMany({ where: { accountId: id } });
    await transaction.session.deleteMany({ where: { accountId: id } });
    await writeAuditLine(transaction, { operator, command: 'end-sessions', account });
    return sessions.filter((session) => isValidSession(session, locked, now)).length;
  });
}

/**
 * Returns false if the account was already in that state.
 * @throws {OperatorError} if the account was deleted meanwhile
 */
export async function setDisabled(
  { prisma, operator }: AuditedDatabase,
  account: FoundAccount,
  disabled: boolean,
): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({
      where: { id: account.id, disabled: !disabled },
      data: { disabled, ...(disabled && ENDED_SESSIONS_AND_BROWSERS) },
    });
    if (count === 0) {
      if ((await transaction.account.count({ where: { id: account.id } })) === 0)
        throw new OperatorError(ACCOUNT_CHANGED);
      return false;
    }
    // Enabling revokes too: a key may have been added while the account was being disabled.
    await transaction.accountKey.deleteMany({ where: { accountId: account.id } });
    await writeAuditLine(transaction, { operator, command: disabled ? 'disable' : 'enable', account });
    return true;
  });
}

export function unlock(database: AuditedDatabase, account: FoundAccount): Promise<void> {
  return changeAccount(database, account, 'unlock', CLEARED_ATTEMPTS);
}

export async function renameAccount(
  database: AuditedDatabase,
  account: FoundAccount,
  to: string,
): Promise<boolean> {
  const renamed = parseFields(accountSchema.pick({ username: true }), { username: to });
  if (renamed.username === account.username) return false;
  refuseOuterBlanks({ username: to });
  const data = { ...renamed, ...CLEARED_ATTEMPTS };
  await changeAccount(database, account, 'rename', data, { details: `to ${to}` }).catch(throwIfTaken);
  return true;
}

export async function setCompany(
  database: AuditedDatabase,
  account: FoundAccount,
  to: string,
): Promise<boolean> {
  const { company } = account;
  const data = parseFields(accountSchema.pick({ company: true }), { company: to });
  if (data.company === company) return false;
  refuseOuterBlanks(data);
  const details = `from ${company} to ${to}`;
  await changeAccount(database, account, 'set-company', data, { details, unchanged: { company } });
  return true;
}

export async function deleteAccount(
  { prisma, operator }: AuditedDatabase,
  account: FoundAccount,
): Promise<void> {
  const { id, username, company } = account;
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.deleteMany({ where: { id, username } });
    if (count === 0) throw new OperatorError(ACCOUNT_CHANGED);
    // An account with this id may have been deleted, and imported again, before.
    await transaction.deletedAccount.deleteMany({ where: { id } });
    await transaction.deletedAccount.create({ data: { id, username, company } });
    await writeAuditLine(transaction, { operator, command: 'delete', account, details: company });
  });
}

async function changeAccount(
  { prisma, operator }: AuditedDatabase,
  account: FoundAccount,
  command: string,
  data: Prisma.AccountUpdateManyMutationInput,
  { details, unchanged = {} }: { details?: string; unchanged?: Partial<FoundAccount> } = {},
): Promise<void> {
  const { id, username } = account;
  const where = { id, username, ...unchanged };
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({ where, data });
    if (count === 0) throw new OperatorError(ACCOUNT_CHANGED);
    await writeAuditLine(transaction, { operator, command, account, ...(details && { details }) });
  });
}

function endText(validUntil: Date | null): string {
  return validUntil === null ? 'without end' : `until ${endTime(validUntil)}`;
}

/** Imported texts are not refused: they may begin or end with a blank, as in the old collection. */
function refuseOuterBlanks(typed: Partial<Pick<FoundAccount, 'username' | 'company'>>): void {
  for (const [field, text] of Object.entries(typed)) {
    if (text !== text.trim()) throw new UsageError(`${field} begins or ends with a blank`);
  }
}

function throwIfTaken(error: unknown): never {
  const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  throw isTaken ? new OperatorError(USERNAME_TAKEN) : error;
}

async function hashChosen(choosePassword: PasswordSource): Promise<string> {
  const { password } = parseFields(accountSchema.pick({ password: true }), {
    password: await choosePassword(),
  });
  return hashPassword(password);
}
