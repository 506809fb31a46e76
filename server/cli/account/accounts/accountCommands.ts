import type { Command } from 'commander';
import { CREDENTIAL_MAX_LENGTH, CREDENTIAL_MIN_LENGTH } from '../../../../shared/credentialRules.ts';
import type { AuditedDatabase } from '../../../accounts/auditLines.ts';
import { escapeInvisible } from '../../../sanitizing/escapeInvisible.ts';
import { SIGN_IN_WINDOW_MINUTES } from '../../../signIn/signInLimits.ts';
import {
  type AccountSelector,
  addAccountOptions,
  type FoundAccount,
  requireAccount,
} from '../../arguments/accountSelector.ts';
import { endOfValidity, endTime, UNTIL_HELP, wholeDays } from '../../arguments/typedTimes.ts';
import { typingRemarks } from '../../arguments/typingRemarks.ts';
import { type CommandContext, type CommandRuntime, example } from '../../commandContext.ts';
import { accountsTable } from '../reports/tables.ts';
import {
  addAccount,
  deleteAccount,
  endSessions,
  extendAccount,
  listAccounts,
  type PasswordSource,
  renameAccount,
  setCompany,
  setDisabled,
  setPassword,
  unlock,
  usernamesInOtherCase,
} from './accountStore.ts';
import { askLine } from './askLine.ts';
import { generatePassword, readPassword } from './passwordInput.ts';

const PASSWORD_HELP = `
The password is one line of standard input, taken exactly as it is. On a
terminal it is asked for twice.`;

const RENAME_HELP = `
The partner signs in with the new username from then on. Sessions, keys and the
password stay. Failed sign-ins are reset, as by unlock.`;

const SET_COMPANY_HELP = `
Sessions, keys and the records of tokens stay; reports name the new company for
earlier tokens too. An open page shows it with its next token or sign-in.`;

const DELETE_HELP = `
On a terminal it asks first; elsewhere it needs --yes. The records of its tokens
stay for TOKEN_LEDGER_DAYS days, with its company and username. To keep a
partner out for a while, disable its account instead.`;

const UNLOCK_HELP = `
set-password does the same. Failed sign-ins counted against a network still
count, for up to ${SIGN_IN_WINDOW_MINUTES} minutes.`;

const EXTEND_HELP = `
After its end an account's sessions and keys are refused like those of a
disabled account. Extending an ended account restores those that are still
valid. --until none removes the end.`;

type AddOptions = { username: string; company: string; until?: Date | 'none'; generate?: true };

const CREDENTIAL_LENGTHS = `${CREDENTIAL_MIN_LENGTH} to ${CREDENTIAL_MAX_LENGTH} characters`;

export function addAccountCommands(
  root: Command,
  { runtime, say, saySecret, remark, withDatabase, withAccount, markFailed }: CommandContext,
): void {
  const remarkTyping = (fields: { username?: string; password?: string }) => {
    for (const said of typingRemarks(fields)) remark(`The ${said}`);
  };

  const remarkConfusableUsernames = async ({ prisma }: AuditedDatabase, username: string) => {
    remarkTyping({ username });
    for (const other of await usernamesInOtherCase(prisma, username)) {
      remark(`${other} is another account: its username differs from ${username} only in case`);
    }
  };

  /**
   * Prints what `change` did, and a generated password, right after it: a query in between could fail and lose the
   * password.
   */
  const withPassword = (
    generate: true | undefined,
    change: (database: AuditedDatabase, choosePassword: PasswordSource) => Promise<string>,
    afterwards: (database: AuditedDatabase) => Promise<void> = async () => {},
  ): Promise<void> =>
    withDatabase(async (database) => {
      if (generate) {
        const password = generatePassword();
        remark(`${await change(database, async () => password)}. The password, shown only now:`);
        await saySecret(password, { name: 'password', remedy: 'choose another with set-password' });
      } else {
        let password = '';
        const changed = await change(database, async () => {
          password = await readPassword(runtime);
          return password;
        });
        await say(`${changed}\n`);
        remarkTyping({ password });
      }
      await afterwards(database);
    });

  root
    .command('add')
    .description('add an account')
    .requiredOption('--username <username>', `what the partner signs in with, ${CREDENTIAL_LENGTHS}`)
    .requiredOption('--company <company>', "the partner company's name")
    .option('--until <date>', UNTIL_HELP, (text) => endOfValidity(text, runtime.clock()))
    .option('--generate', 'make a password and print it, this once')
    .addHelpText('after', PASSWORD_HELP)
    .addHelpText('after', example('add --username radio@uno.example --company "Radio Uno"'))
    .action(({ username, company, until, generate }: AddOptions) =>
      withPassword(
        generate,
        async (database, choosePassword) => {
          const fields = { username, company, validUntil: endFrom(until) };
          const { id } = await addAccount(database, fields, choosePassword);
          return `Added ${username} (${company}) with id ${id}`;
        },
        (database) => remarkConfusableUsernames(database, username),
      ),
    );

  root
    .command('list')
    .description('list accounts')
    .option('--search <text>', 'only those whose username, company or id contains this, in any case')
    .option('--expiring <days>', 'only those that end within this many days', wholeDays)
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', example('list --search "radio uno"'))
    .action(({ search, expiring, json }: { search?: string; expiring?: number; json?: true }) =>
      withDatabase(async ({ prisma }) => {
        const now = runtime.clock();
        const accounts = await listAccounts(prisma, { search, days: expiring, now });
        const none =
          search === undefined && expiring === undefined ? 'No accounts yet.' : 'No account matches.';
        const forPrograms = accounts.map(({ state: _, ...account }) => account);
        await say(`${json ? JSON.stringify(forPrograms, null, 2) : accountsTable(accounts, none)}\n`);
      }),
    );

  addAccountOptions(root.command('set-password'))
    .description("change an account's password, which ends its sessions and unlocks it")
    .option('--generate', 'make a password and print it, this once')
    .addHelpText('after', PASSWORD_HELP)
    .addHelpText('after', example('set-password --username radio@uno.example'))
    .action(({ generate, ...selector }: AccountSelector & { generate?: true }) =>
      withPassword(generate, async (database, choosePassword) => {
        const account = await requireAccount(database.prisma, selector);
        const validKeys = await setPassword(database, account, choosePassword, runtime.clock());
        return `Changed the password of ${account.username} and ended its sessions${keysThatStay(validKeys)}`;
      }),
    );

  addAccountOptions(root.command('unlock'))
    .description('reset the failed sign-ins counted against an account')
    .addHelpText('after', UNLOCK_HELP)
    .addHelpText('after', example('unlock --username radio@uno.example'))
    .action((selector: AccountSelector) =>
      withAccount(selector, async (database, account) => {
        await unlock(database, account);
        await say(`${account.username} is unlocked: earlier failed sign-ins no longer count against it\n`);
      }),
    );

  addAccountOptions(root.command('extend'))
    .description('set or remove the end of an account')
    .requiredOption('--until <date>', `${UNTIL_HELP}; or none`, (text) =>
      endOfValidity(text, runtime.clock()),
    )
    .addHelpText('after', EXTEND_HELP)
    .addHelpText('after', example('extend --username radio@uno.example --until 2027-06-30'))
    .action(({ until, ...selector }: AccountSelector & { until: Date | 'none' }) =>
      withAccount(selector, async (database, account) => {
        await extendAccount(database, account, endFrom(until));
        await say(
          `${account.username} ${until === 'none' ? 'has no end' : `works until ${endTime(until)}`}\n`,
        );
      }),
    );

  addAccountOptions(root.command('end-sessions'))
    .description('end the sessions of an account; it can sign in again')
    .addHelpText('after', example('end-sessions --username radio@uno.example'))
    .action((selector: AccountSelector) =>
      withAccount(selector, async (database, account) => {
        const ended = await endSessions(database, account, runtime.clock());
        await say(`Ended ${ended === 1 ? '1 session' : `${ended} sessions`} of ${account.username}\n`);
      }),
    );

  addAccountOptions(root.command('rename'))
    .description('give an account another username')
    .requiredOption('--to <username>', `its new username, ${CREDENTIAL_LENGTHS}`)
    .addHelpText('after', RENAME_HELP)
    .addHelpText('after', example('rename --username radio@uno.example --to radio@dos.example'))
    .action(({ to, ...selector }: AccountSelector & { to: string }) =>
      withAccount(selector, async (database, account) => {
        const { username } = account;
        const changed = await renameAccount(database, account, to);
        await say(changed ? `${username} is now ${to}\n` : `${username} has that username already\n`);
        if (changed) await remarkConfusableUsernames(database, to);
      }),
    );

  addAccountOptions(root.command('set-company'))
    .description("correct or change the company's name of an account")
    .requiredOption('--company <company>', "the partner company's name")
    .addHelpText('after', SET_COMPANY_HELP)
    .addHelpText('after', example('set-company --username radio@uno.example --company "Radio Uno"'))
    .action(({ company, ...selector }: AccountSelector & { company: string }) =>
      withAccount(selector, async (database, account) => {
        const changed = await setCompany(database, account, company);
        await say(
          changed
            ? `${account.username} is now of ${company}, before of ${account.company}\n`
            : `${account.username} is of ${company} already\n`,
        );
      }),
    );

  addAccountOptions(root.command('disable'))
    .description('disable an account, which ends its sessions and revokes its keys')
    .addHelpText('after', example('disable --username radio@uno.example'))
    .action((selector: AccountSelector) =>
      withAccount(selector, async (database, account) => {
        const changed = await setDisabled(database, account, true);
        await say(`${account.username} ${changed ? 'is now disabled' : 'was disabled already'}\n`);
      }),
    );

  addAccountOptions(root.command('enable'))
    .description('enable a disabled account again')
    .addHelpText('after', example('enable --username radio@uno.example'))
    .action((selector: AccountSelector) =>
      withAccount(selector, async (database, account) => {
        const changed = await setDisabled(database, account, false);
        await say(`${account.username} ${changed ? 'is now enabled' : 'was enabled already'}\n`);
      }),
    );

  addAccountOptions(root.command('delete'))
    .description('delete an account with its sessions and keys')
    .option('--yes', 'without asking')
    .addHelpText('after', DELETE_HELP)
    .addHelpText('after', example('delete --username radio@uno.example'))
    .action(async ({ yes, ...selector }: AccountSelector & { yes?: true }, command: Command) => {
      if (!yes && !runtime.input.isTTY) {
        command.error('error: without a terminal to ask at, delete needs --yes');
      }
      await withAccount(selector, async (database, account) => {
        if (yes || (await confirmDeletion(account, runtime))) {
          await deleteAccount(database, account);
          await say(`Deleted ${account.username}, its sessions and keys\n`);
        } else {
          remark('Nothing was deleted');
          markFailed();
        }
      });
    });
}

async function confirmDeletion(
  { username, company }: FoundAccount,
  runtime: CommandRuntime,
): Promise<boolean> {
  const question = `Delete ${escapeInvisible(username)} (${escapeInvisible(company)}), its sessions and keys? Type its username, or yes: `;
  const answer = await askLine(question, runtime);
  return answer === username || answer === 'yes';
}

function endFrom(until: Date | 'none' = 'none'): Date | null {
  return until === 'none' ? null : until;
}

function keysThatStay(count: number): string {
  if (count === 0) return '';
  return `; ${count === 1 ? '1 key stays' : `${count} keys stay`} valid (list-keys, revoke-key)`;
}
