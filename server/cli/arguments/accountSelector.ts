import { type Command, Option } from 'commander';
import { OperatorError } from '../../errors.ts';
import { type Account, Prisma, type PrismaClient } from '../../generated/prisma/client.ts';
import { accountSchema, parseFields, typingRemarks } from './fieldRules.ts';

export type AccountSelector = { username?: string; id?: string };

export type FoundAccount = Pick<Account, 'id' | 'username' | 'company' | 'credentialsVersion'>;

const USERNAME_TAKEN = 'there is already an account with this username';

export function addAccountOptions(command: Command, { isOptional = false } = {}): Command {
  return command
    .option('--username <username>', isOptional ? 'only this account' : 'the account')
    .addOption(new Option('--id <id>', 'the account by its id, as shown in the log').conflicts('username'))
    .hook('preAction', (_command, action) => {
      const { username, id }: AccountSelector = action.opts();
      if (!isOptional && username === undefined && id === undefined) {
        action.error('error: name the account by --username or --id');
      }
    });
}

export async function requireAccount(prisma: PrismaClient, selector: AccountSelector): Promise<FoundAccount> {
  const { username, id } = selector;
  const account = await prisma.account.findUnique({
    where:
      id === undefined
        ? parseFields(accountSchema.pick({ username: true }), { username: username ?? '' })
        : { id },
    select: { id: true, username: true, company: true, credentialsVersion: true },
  });
  if (account === null) throw noSuchAccount(selector);
  return account;
}

export async function refuseTaken(prisma: PrismaClient, username: string): Promise<void> {
  const stored = await prisma.account.findUnique({ where: { username }, select: { id: true } });
  if (stored !== null) throw new OperatorError(USERNAME_TAKEN);
}

export function throwIfTaken(error: unknown): never {
  const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  throw isTaken ? new OperatorError(USERNAME_TAKEN) : error;
}

export async function remarksOnUsername(prisma: PrismaClient, username: string): Promise<string[]> {
  const others = await prisma.account.findMany({
    where: { username: { equals: literally(username), mode: 'insensitive' }, NOT: { username } },
    select: { username: true },
  });
  return [
    ...typingRemarks({ username }).map((said) => `The ${said}`),
    ...others.map(
      (other) => `${other.username} is another account: its username differs from ${username} only in case`,
    ),
  ];
}

/** Escapes the wildcards of ILIKE, which Prisma does not for case-insensitive comparisons. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

function noSuchAccount({ id }: AccountSelector): OperatorError {
  return new OperatorError(`there is no account with that ${id === undefined ? 'username' : 'id'}`);
}
