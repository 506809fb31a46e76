import { OperatorError } from '../errors.ts';
import { type Account, Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { endsWithin } from '../signIn/accountValidity.ts';
import { hashPassword } from '../signIn/password.ts';
import { validSessionsOf } from '../signIn/sessions.ts';
import { type AccountSelector, type FoundAccount, noSuchAccount, requireAccount } from './accountSelector.ts';
import { type AuditedChange, type AuditedDatabase, writeAuditLine } from './audit.ts';
import { UsageError } from './cliProcess.ts';
import { accountSchema, checked } from './fieldRules.ts';
import { countValidKeys } from './keyStore.ts';

export type AccountListing = Omit<Account, 'passwordHash' | 'credentialsVersion' | 'attemptsVersion'> & {
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
  const { username, company } = checked(accountSchema.pick({ username: true, company: true }), fields);
  refuseOuterBlanks(username);
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

/**
 * Returns accounts by username: with `search`, those whose username, company or id contain it in any case; with
 * `days`, those that are still open and end within so many days.
 */
export async function listAccounts(
  prisma: PrismaClient,
  { search, days, now }: { search?: string | undefined; days?: number | undefined; now: Date },
): Promise<AccountListing[]> {
  const contains = { contains: search ?? '', mode: 'insensitive' } as const;
  const accounts = await prisma.account.findMany({
    where: {
      ...(search !== undefined && { OR: [{ username: contains }, { company: contains }, { id: contains }] }),
      ...(days !== undefined && endsWithin(days, now)),
    },
    omit: { passwordHash: true, credentialsVersion: true, attemptsVersion: true },
    include: { _count: { select: { keys: { where: { expiresAt: { gt: now } } } } } },
    orderBy: { username: 'asc' },
  });
  // Reads one row of the index for each account; grouping would read the whole ledger.
  const lastTokens = await prisma.$queryRaw<{ id: string; createdAt: Date }[]>`
    SELECT asked.id, last.created_at AS "createdAt"
    FROM unnest(${accounts.map(({ id }) => id)}::text[]) AS asked (id), LATERAL (
      SELECT created_at FROM token_records
      WHERE account_id = asked.id AND outcome = 'ISSUED' ORDER BY token_records.id DESC LIMIT 1
    ) AS last`;
  const lastTokenAt = new Map(lastTokens.map(({ id, createdAt }) => [id, createdAt]));
  return accounts.map(({ _count: { keys }, ...account }) => ({
    ...account,
    keys,
    lastTokenAt: lastTokenAt.get(account.id) ?? null,
  }));
}

export async function usernamesInOtherCase(prisma: PrismaClient, username: string): Promise<string[]> {
  const accounts = await prisma.account.findMany({
    where: { username: { equals: username, mode: 'insensitive' }, NOT: { username } },
    select: { username: true },
  });
  return accounts.map((account) => account.username);
}

const ENDED_SESSIONS_AND_BROWSERS = { credentialsVersion: { increment: 1 } };

/** Resets the account's counted attempts: the version is part of their counters' keys. */
const FORGIVEN_ATTEMPTS = { attemptsVersion: { increment: 1 } };

export async function setPassword(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  choosePassword: PasswordSource,
  now: Date,
): Promise<FoundAccount & { validKeys: number }> {
  const account = await requireAccount(prisma, selector);
  const passwordHash = await hashChosen(choosePassword);
  const validKeys = await countValidKeys(prisma, account.id, now);
  const line = { operator, command: 'set-password', account };
  await changeAccount(prisma, line, { passwordHash, ...ENDED_SESSIONS_AND_BROWSERS, ...FORGIVEN_ATTEMPTS });
  return { ...account, validKeys };
}

export async function extendAccount(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  validUntil: Date | null,
): Promise<FoundAccount> {
  const account = await requireAccount(prisma, selector);
  const line = { operator, command: 'extend', account, details: endText(validUntil) };
  await changeAccount(prisma, line, { validUntil });
  return account;
}

/** Counts the sign-ins whose session was valid. Known browsers, keys and the password stay. */
export async function endSessions(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  now: Date,
): Promise<{ account: FoundAccount; ended: number }> {
  const account = await requireAccount(prisma, selector);
  const [signIns] = await prisma.$transaction([
    prisma.session.findMany({ where: validSessionsOf(account, now), distinct: 'createdAt' }),
    prisma.session.deleteMany({ where: { accountId: account.id } }),
    writeAuditLine(prisma, { operator, command: 'end-sessions', account }),
  ]);
  return { account, ended: signIns.length };
}

export async function setDisabled(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  disabled: boolean,
): Promise<{ account: FoundAccount; changed: boolean }> {
  const account = await requireAccount(prisma, selector);
  const changed = await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({
      where: { id: account.id, disabled: !disabled },
      data: { disabled, ...(disabled && ENDED_SESSIONS_AND_BROWSERS) },
    });
    if (count === 0) return false;
    // Enabling revokes too: a key may have been added while the account was being disabled.
    await transaction.accountKey.deleteMany({ where: { accountId: account.id } });
    await writeAuditLine(transaction, { operator, command: disabled ? 'disable' : 'enable', account });
    return true;
  });
  return { account, changed };
}

export async function unlock(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
): Promise<FoundAccount> {
  const account = await requireAccount(prisma, selector);
  await changeAccount(prisma, { operator, command: 'unlock', account }, FORGIVEN_ATTEMPTS);
  return account;
}

export async function renameAccount(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  to: string,
): Promise<{ account: FoundAccount; changed: boolean }> {
  const account = await requireAccount(prisma, selector);
  const renamed = checked(accountSchema.pick({ username: true }), { username: to });
  if (renamed.username === account.username) return { account, changed: false };
  refuseOuterBlanks(to);
  const line = { operator, command: 'rename', account, details: `to ${to}` };
  await changeAccount(prisma, line, { ...renamed, ...FORGIVEN_ATTEMPTS }).catch(throwIfTaken);
  return { account, changed: true };
}

/** Returns null unless `confirm` agreed. The ledger of tokens stays and finds its names among the deleted accounts. */
export async function deleteAccount(
  { prisma, operator }: AuditedDatabase,
  selector: AccountSelector,
  confirm: (account: { username: string; company: string }) => Promise<boolean>,
): Promise<FoundAccount | null> {
  const account = await requireAccount(prisma, selector);
  if (!(await confirm(account))) return null;
  const { id, username, company } = account;
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.deleteMany({ where: { id, username } });
    if (count === 0) throw noSuchAccount(selector);
    // An account with this id may have been deleted, and imported again, before.
    await transaction.deletedAccount.deleteMany({ where: { id } });
    await transaction.deletedAccount.create({ data: { id, username, company } });
    await writeAuditLine(transaction, { operator, command: 'delete', account, details: company });
  });
  return account;
}

async function changeAccount(
  prisma: PrismaClient,
  line: AuditedChange & { account: FoundAccount },
  data: Prisma.AccountUpdateManyMutationInput,
): Promise<void> {
  const { id, username } = line.account;
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({ where: { id, username }, data });
    if (count === 0) throw noSuchAccount({ username });
    await writeAuditLine(transaction, line);
  });
}

function endText(validUntil: Date | null): string {
  return validUntil === null ? 'without end' : `until ${validUntil.toISOString()}`;
}

/** Imported usernames may have them: the old collection did not forbid it. */
function refuseOuterBlanks(username: string): void {
  if (username !== username.trim()) throw new UsageError('username begins or ends with a blank');
}

function throwIfTaken(error: unknown): never {
  const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  throw isTaken ? new OperatorError(USERNAME_TAKEN) : error;
}

async function hashChosen(choosePassword: PasswordSource): Promise<string> {
  const { password } = checked(accountSchema.pick({ password: true }), { password: await choosePassword() });
  return hashPassword(password);
}
