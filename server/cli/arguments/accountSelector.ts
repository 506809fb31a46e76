import { type Command, Option } from 'commander';
import { OperatorError } from '../../errors.ts';
import type { Account, PrismaClient } from '../../generated/prisma/client.ts';
import { accountSchema, parseFields } from './fieldRules.ts';

export type AccountSelector = { username?: string; id?: string };

export type FoundAccount = Pick<Account, 'id' | 'username' | 'company' | 'credentialsVersion'>;

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

function noSuchAccount({ id }: AccountSelector): OperatorError {
  return new OperatorError(`there is no account with that ${id === undefined ? 'username' : 'id'}`);
}
