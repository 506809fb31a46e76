import type { z } from 'zod';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { hashPassword } from '../signIn/password.ts';
import { accountRules, faultsOf } from './accountRules.ts';

/** An account as shown to operators. */
export type AccountListing = {
  id: string;
  username: string;
  company: string;
  disabled: boolean;
  createdAt: Date;
  updatedAt: Date;
};

/** Supplies a new password; called only after all other checks. */
export type PasswordSource = () => Promise<string>;

const USERNAME_TAKEN = 'username is taken by another account';

/**
 * Adds an account.
 * @throws {OperatorError} when the username is taken or anything breaks a rule
 */
export async function addAccount(
  prisma: PrismaClient,
  fields: { username: string; company: string },
  choosePassword: PasswordSource,
): Promise<{ id: string }> {
  const { username, company } = checked(accountRules.pick({ username: true, company: true }), fields);
  if ((await findId(prisma, username)) !== null) throw new OperatorError(USERNAME_TAKEN);
  const passwordHash = await hashChosen(choosePassword);
  const [added] = await prisma.account.createManyAndReturn({
    data: [{ username, company, passwordHash }],
    skipDuplicates: true,
    select: { id: true },
  });
  if (added === undefined) throw new OperatorError(USERNAME_TAKEN);
  return added;
}

/** All accounts, ordered by username. */
export function listAccounts(prisma: PrismaClient): Promise<AccountListing[]> {
  return prisma.account.findMany({
    omit: { passwordHash: true, credentialsVersion: true, attemptsVersion: true },
    orderBy: { username: 'asc' },
  });
}

/** Sessions and known browsers of an earlier version no longer count. */
const NEXT_VERSION = { credentialsVersion: { increment: 1 } };

/** Attempts to sign in that were counted under an earlier number no longer count. */
const FORGIVEN_ATTEMPTS = { attemptsVersion: { increment: 1 } };

/**
 * Changes an account's password, which ends its sessions and known browsers and forgives attempts to sign in as `unlock` does.
 * @throws {OperatorError} when there is no such account or the password breaks a rule
 */
export async function setPassword(
  prisma: PrismaClient,
  username: string,
  choosePassword: PasswordSource,
): Promise<void> {
  const id = await requireId(prisma, username);
  const passwordHash = await hashChosen(choosePassword);
  // The previous release knows no version: for its instances the rows are deleted.
  await prisma.$transaction([
    prisma.account.update({ where: { id }, data: { passwordHash, ...NEXT_VERSION, ...FORGIVEN_ATTEMPTS } }),
    prisma.session.deleteMany({ where: { accountId: id } }),
  ]);
}

/**
 * Disables an account, which ends its sessions and known browsers and revokes its keys, or enables it again.
 * @returns whether the account changed
 * @throws {OperatorError} when there is no such account
 */
export async function setDisabled(
  prisma: PrismaClient,
  username: string,
  disabled: boolean,
): Promise<boolean> {
  const id = await requireId(prisma, username);
  const where = { id, disabled: !disabled };
  // Also when it is enabled again: the previous release disables without revoking.
  const revokeKeys = prisma.accountKey.deleteMany({ where: { accountId: id, account: { disabled: true } } });
  if (!disabled) {
    const [, changed] = await prisma.$transaction([
      revokeKeys,
      prisma.account.updateMany({ where, data: { disabled } }),
    ]);
    return changed.count > 0;
  }
  const [changed] = await prisma.$transaction([
    prisma.account.updateMany({ where, data: { disabled, ...NEXT_VERSION } }),
    revokeKeys,
    prisma.session.deleteMany({ where: { accountId: id } }),
  ]);
  return changed.count > 0;
}

/**
 * Forgives all attempts to sign in that count against the account, in known browsers and from any network. What counts against
 * a network, whatever the username, stays.
 * @throws {OperatorError} when there is no such account
 */
export async function unlock(prisma: PrismaClient, username: string): Promise<void> {
  const id = await requireId(prisma, username);
  await prisma.account.update({ where: { id }, data: FORGIVEN_ATTEMPTS });
}

/**
 * Returns the id of an account.
 * @throws {OperatorError} when there is no such account
 */
export async function requireId(prisma: PrismaClient, username: string): Promise<string> {
  const id = await findId(prisma, checked(accountRules.pick({ username: true }), { username }).username);
  if (id === null) throw new OperatorError('there is no account with that username');
  return id;
}

async function findId(prisma: PrismaClient, username: string): Promise<string | null> {
  const account = await prisma.account.findUnique({ where: { username }, select: { id: true } });
  return account?.id ?? null;
}

async function hashChosen(choosePassword: PasswordSource): Promise<string> {
  const { password } = checked(accountRules.pick({ password: true }), { password: await choosePassword() });
  return hashPassword(password);
}

/** @throws {OperatorError} with every fault of the fields in one line */
export function checked<Fields>(rules: z.ZodType<Fields>, fields: Fields): Fields {
  const { data, error } = rules.safeParse(fields);
  if (error !== undefined) throw new OperatorError(faultsOf(error));
  return data;
}
