import { OperatorError } from '../errors.ts';
import { type Account, Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { hashPassword } from '../signIn/password.ts';
import { type AuditedChange, type AuditedDatabase, writeAuditLine } from './audit.ts';
import { accountSchema, checked } from './fieldRules.ts';

export type AccountListing = Omit<Account, 'passwordHash' | 'credentialsVersion' | 'attemptsVersion'> & {
  keys: number;
};

/** Supplies a new password; called only after all other checks. */
export type PasswordSource = () => Promise<string>;

const NO_SUCH_ACCOUNT = 'there is no account with that username';
const USERNAME_TAKEN = 'username is taken by another account';

export async function addAccount(
  { prisma, operator }: AuditedDatabase,
  fields: { username: string; company: string },
  choosePassword: PasswordSource,
): Promise<{ id: string }> {
  const { username, company } = checked(accountSchema.pick({ username: true, company: true }), fields);
  const stored = await prisma.account.findUnique({ where: { username }, select: { id: true } });
  if (stored !== null) throw new OperatorError(USERNAME_TAKEN);
  const passwordHash = await hashChosen(choosePassword);
  return prisma.$transaction(async (transaction) => {
    const data = { username, company, passwordHash };
    const added = await transaction.account.create({ data }).catch(throwIfTaken);
    await writeAuditLine(transaction, { operator, command: 'add', account: added, details: company });
    return added;
  });
}

export async function listAccounts(prisma: PrismaClient, now: Date): Promise<AccountListing[]> {
  const accounts = await prisma.account.findMany({
    omit: { passwordHash: true, credentialsVersion: true, attemptsVersion: true },
    include: { _count: { select: { keys: { where: { expiresAt: { gt: now } } } } } },
    orderBy: { username: 'asc' },
  });
  return accounts.map(({ _count: { keys }, ...account }) => ({ ...account, keys }));
}

/** Ends the sessions and known browsers of earlier versions. */
const NEXT_VERSION = { credentialsVersion: { increment: 1 } };

/** Resets the account's counted attempts: the version is part of their counters' keys. */
const FORGIVEN_ATTEMPTS = { attemptsVersion: { increment: 1 } };

/** Ends the account's sessions and known browsers and forgives attempts to sign in; its keys stay valid. */
export async function setPassword(
  { prisma, operator }: AuditedDatabase,
  username: string,
  choosePassword: PasswordSource,
): Promise<void> {
  const account = await requireAccount(prisma, username);
  const passwordHash = await hashChosen(choosePassword);
  const line = { operator, command: 'set-password', account };
  await changeAccount(prisma, line, { passwordHash, ...NEXT_VERSION, ...FORGIVEN_ATTEMPTS });
}

/** Disabling ends the account's sessions and known browsers and revokes its keys. Returns whether the account changed. */
export async function setDisabled(
  { prisma, operator }: AuditedDatabase,
  username: string,
  disabled: boolean,
): Promise<boolean> {
  const account = await requireAccount(prisma, username);
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({
      where: { id: account.id, disabled: !disabled },
      data: { disabled, ...(disabled && NEXT_VERSION) },
    });
    if (count === 0) return false;
    // Enabling revokes too: a key may have been added while the account was being disabled.
    await transaction.accountKey.deleteMany({ where: { accountId: account.id } });
    await writeAuditLine(transaction, { operator, command: disabled ? 'disable' : 'enable', account });
    return true;
  });
}

/** Forgives attempts that count against the account; those that count against a network, whatever the username, still count. */
export async function unlock({ prisma, operator }: AuditedDatabase, username: string): Promise<void> {
  const account = await requireAccount(prisma, username);
  await changeAccount(prisma, { operator, command: 'unlock', account }, FORGIVEN_ATTEMPTS);
}

export async function renameAccount(
  { prisma, operator }: AuditedDatabase,
  username: string,
  to: string,
): Promise<boolean> {
  const account = await requireAccount(prisma, username);
  const renamed = checked(accountSchema.pick({ username: true }), { username: to });
  if (renamed.username === username) return false;
  const line = { operator, command: 'rename', account, details: `to ${to}` };
  await changeAccount(prisma, line, { ...renamed, ...FORGIVEN_ATTEMPTS }).catch(throwIfTaken);
  return true;
}

/** Returns whether `confirm` agreed. The ledger of tokens stays and finds its names among the deleted accounts. */
export async function deleteAccount(
  { prisma, operator }: AuditedDatabase,
  username: string,
  confirm: (account: { username: string; company: string }) => Promise<boolean>,
): Promise<boolean> {
  const account = await requireAccount(prisma, username);
  if (!(await confirm(account))) return false;
  const { id, company } = account;
  await prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.deleteMany({ where: { id, username } });
    if (count === 0) throw new OperatorError(NO_SUCH_ACCOUNT);
    // An account with this id may have been deleted, and imported again, before.
    await transaction.deletedAccount.deleteMany({ where: { id } });
    await transaction.deletedAccount.create({ data: { id, username, company } });
    await writeAuditLine(transaction, { operator, command: 'delete', account, details: company });
  });
  return true;
}

type FoundAccount = Pick<Account, 'id' | 'username' | 'company' | 'disabled'>;

export async function requireAccount(prisma: PrismaClient, typed: string): Promise<FoundAccount> {
  const { username } = checked(accountSchema.pick({ username: true }), { username: typed });
  const account = await prisma.account.findUnique({
    where: { username },
    select: { id: true, username: true, company: true, disabled: true },
  });
  if (account === null) throw new OperatorError(NO_SUCH_ACCOUNT);
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
    if (count === 0) throw new OperatorError(NO_SUCH_ACCOUNT);
    await writeAuditLine(transaction, line);
  });
}

function throwIfTaken(error: unknown): never {
  const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  throw isTaken ? new OperatorError(USERNAME_TAKEN) : error;
}

async function hashChosen(choosePassword: PasswordSource): Promise<string> {
  const { password } = checked(accountSchema.pick({ password: true }), { password: await choosePassword() });
  return hashPassword(password);
}
