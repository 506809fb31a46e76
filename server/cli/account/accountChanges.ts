import { on } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { escapeInvisible } from '../../observing/sanitizing.ts';
import { isValidSession } from '../../signIn/sessions.ts';
import { SIGN_IN_WINDOW_MINUTES } from '../../signIn/signInLimits.ts';
import { type FoundAccount, remarksOnUsername } from '../arguments/accountSelector.ts';
import {
  accountSchema,
  CREDENTIAL_LENGTHS,
  parseFields,
  refuseOuterBlanks,
} from '../arguments/fieldRules.ts';
import { endFrom, endOfValidity, endText, endTime, UNTIL_HELP } from '../arguments/typedTimes.ts';
import type { CommandContext, CommandRuntime } from '../commandContext.ts';
import { addChangeCommand, type ChangeCommand } from './changeCommand.ts';
import { countValidKeys } from './keyCommands.ts';
import { choosePassword, type NewPassword, PASSWORD_HELP, passwordTold } from './newPassword.ts';

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

const ENDED_SESSIONS_AND_BROWSERS = { credentialsVersion: { increment: 1 } };

/** Resets the account's counted attempts: the version is part of their counters' subjects. */
const CLEARED_ATTEMPTS = { attemptsVersion: { increment: 1 } };

export function addAccountChanges(root: Command, context: CommandContext): void {
  const { runtime, remark, markFailed } = context;
  const add = <Options extends object = object, Prepared = undefined>(
    definition: ChangeCommand<Options, Prepared>,
  ) => addChangeCommand(root, context, definition);

  add<{ generate?: true }, NewPassword>({
    name: 'set-password',
    description: "change an account's password, which ends its sessions and unlocks it",
    options: (command) => command.option('--generate', 'make a password and print it, this once'),
    help: PASSWORD_HELP,
    example: 'set-password --username radio@uno.example',
    prepare: (_account, { generate }) => choosePassword(generate === true, runtime),
    async change({ id, username }, { transaction, now, prepared }) {
      const keys = keysThatStay(await countValidKeys(transaction, id, now));
      return {
        data: {
          passwordHash: prepared.passwordHash,
          ...ENDED_SESSIONS_AND_BROWSERS,
          ...CLEARED_ATTEMPTS,
        },
        ...passwordTold(`Changed the password of ${username} and ended its sessions${keys}`, prepared),
      };
    },
  });

  add({
    name: 'unlock',
    description: 'reset the failed sign-ins counted against an account',
    help: UNLOCK_HELP,
    example: 'unlock --username radio@uno.example',
    change: ({ username }) => ({
      data: CLEARED_ATTEMPTS,
      says: `${username} is unlocked: earlier failed sign-ins no longer count against it`,
    }),
  });

  add<{ until: Date | 'none' }>({
    name: 'extend',
    description: 'set or remove the end of an account',
    options: (command) =>
      command.requiredOption('--until <date>', `${UNTIL_HELP}; or none`, (text) =>
        endOfValidity(text, runtime.clock()),
      ),
    help: EXTEND_HELP,
    example: 'extend --username radio@uno.example --until 2027-06-30',
    change: ({ username }, { until }) => ({
      data: { validUntil: endFrom(until) },
      details: endText(endFrom(until)),
      says: `${username} ${until === 'none' ? 'has no end' : `works until ${endTime(until)}`}`,
    }),
  });

  add({
    name: 'end-sessions',
    description: 'end the sessions of an account; it can sign in again',
    example: 'end-sessions --username radio@uno.example',
    async change(account, { transaction, now }) {
      const where = { accountId: account.id };
      const sessions = await transaction.session.findMany({ where });
      await transaction.session.deleteMany({ where });
      const ended = sessions.filter((session) => isValidSession(session, account, now)).length;
      return { says: `Ended ${ended === 1 ? '1 session' : `${ended} sessions`} of ${account.username}` };
    },
  });

  add<{ to: string }>({
    name: 'rename',
    description: 'give an account another username',
    options: (command) =>
      command.requiredOption('--to <username>', `its new username, ${CREDENTIAL_LENGTHS}`),
    help: RENAME_HELP,
    example: 'rename --username radio@uno.example --to radio@dos.example',
    change(account, { to }) {
      const { username } = parseFields(accountSchema.pick({ username: true }), { username: to });
      if (username === account.username) {
        return { isNone: true, says: `${username} has that username already` };
      }
      refuseOuterBlanks({ username });
      return {
        data: { username, ...CLEARED_ATTEMPTS },
        details: `to ${to}`,
        says: `${account.username} is now ${to}`,
        remarks: (prisma) => remarksOnUsername(prisma, to),
      };
    },
  });

  add<{ company: string }>({
    name: 'set-company',
    description: "correct or change the company's name of an account",
    options: (command) => command.requiredOption('--company <company>', "the partner company's name"),
    help: SET_COMPANY_HELP,
    example: 'set-company --username radio@uno.example --company "Radio Uno"',
    change({ username, company: before }, typed) {
      const { company } = parseFields(accountSchema.pick({ company: true }), typed);
      if (company === before) return { isNone: true, says: `${username} is of ${company} already` };
      refuseOuterBlanks({ company });
      return {
        data: { company },
        details: `from ${before} to ${company}`,
        says: `${username} is now of ${company}, before of ${before}`,
      };
    },
  });

  add({
    name: 'disable',
    description: 'disable an account, which ends its sessions and revokes its keys',
    example: 'disable --username radio@uno.example',
    async change({ id, username, disabled }, { transaction }) {
      if (disabled) return { isNone: true, says: `${username} was disabled already` };
      await transaction.accountKey.deleteMany({ where: { accountId: id } });
      return {
        data: { disabled: true, ...ENDED_SESSIONS_AND_BROWSERS },
        says: `${username} is now disabled`,
      };
    },
  });

  add({
    name: 'enable',
    description: 'enable a disabled account again',
    example: 'enable --username radio@uno.example',
    async change({ id, username, disabled }, { transaction }) {
      if (!disabled) return { isNone: true, says: `${username} was enabled already` };
      // An earlier release could add a key while the account was being disabled.
      await transaction.accountKey.deleteMany({ where: { accountId: id } });
      return { data: { disabled: false }, says: `${username} is now enabled` };
    },
  });

  add<{ yes?: true }, true>({
    name: 'delete',
    description: 'delete an account with its sessions and keys',
    options: (command) =>
      command.option('--yes', 'without asking').hook('preAction', () => {
        if (command.opts().yes || runtime.input.isTTY) return;
        command.error('error: without a terminal to ask at, delete needs --yes');
      }),
    help: DELETE_HELP,
    example: 'delete --username radio@uno.example',
    async prepare(account, { yes }) {
      if (yes || (await confirmDeletion(account, runtime))) return true;
      remark('Nothing was deleted');
      markFailed();
      return null;
    },
    async change({ id, username, company }, { transaction }) {
      await transaction.account.delete({ where: { id }, select: { id: true } });
      // An account with this id may have been deleted, and imported again, before.
      await transaction.deletedAccount.deleteMany({ where: { id } });
      await transaction.deletedAccount.create({ data: { id, username, company } });
      return { details: company, says: `Deleted ${username}, its sessions and keys` };
    },
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

function keysThatStay(count: number): string {
  if (count === 0) return '';
  return `; ${count === 1 ? '1 key stays' : `${count} keys stay`} valid (list-keys, revoke-key)`;
}

/** Null at the end of input (Ctrl-D). */
async function askLine(
  question: string,
  { input, remarks, interruption }: Pick<CommandRuntime, 'input' | 'remarks' | 'interruption'>,
): Promise<string | null> {
  // The terminal itself shows and edits the line, since readline gets no output.
  const terminal = createInterface({ input });
  try {
    const lines = on(terminal, 'line', { signal: interruption.signal, close: ['close'] });
    remarks.write(question);
    const { value, done } = await lines.next();
    if (!done) return String(value[0]);
    remarks.write('\n');
    return null;
  } finally {
    terminal.close();
  }
}
