import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../config/config.ts';
import { blaming, databaseFault } from '../database/databaseFault.ts';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { visible } from '../observing/visibleText.ts';
import { addAccount, listAccounts, type PasswordSource, setDisabled, setPassword } from './accounts.ts';
import type { AccountsDatabase } from './accountsDatabase.ts';
import { importAccounts } from './import/importAccounts.ts';
import { progressOn } from './import/importProgress.ts';
import { readAccountExport } from './import/readAccountExport.ts';
import { generatePassword, readPassword } from './passwordInput.ts';
import { accountsTable } from './reports/accountsTable.ts';
import { readTokenRecords, tokenOfInput } from './reports/tokenRecords.ts';
import { tokenRecordsCsv, tokenRecordsTable } from './reports/tokenRecordsReport.ts';
import { readUsage } from './reports/usage.ts';
import { usageCsv, usageTable } from './reports/usageReport.ts';

/** What the commands work on: results go to `output`; questions, remarks, progress and errors to `remarks`. */
export type CommandWorld = {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  remarks: Writable & { isTTY?: boolean; columns?: number };
  interruption: AbortController;
  clock(): Date;
  openDatabase(): Promise<AccountsDatabase>;
};

/** A result could not be written, so that it is as good as none. */
class LostOutput extends OperatorError {}

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;
const MOST_TOKENS = 1_000;

const HELP = `
A password is never an argument, where the process list and the shell's history would show it. It is one line of
standard input, is asked for twice on a terminal, or is made and printed once with --generate.

Examples:
  npm run account -- add --username radio@uno.example --company "Radio Uno"
  npm run account -- add --username radio@uno.example --company "Radio Uno" --generate
  npm run account -- set-password --username radio@uno.example < password.txt
  npm run account -- disable --username radio@uno.example
  npm run account -- import accounts.json
  npm run --silent account -- list --json
  npm run account -- usage --since 2026-11-01

The database is the server's: DATABASE_URL, or the embedded one, also while the server runs.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted.`;

const PASSWORD_HELP = `
The password is one line of standard input, exactly as it stands there, or is asked for twice on a terminal.`;

const SET_PASSWORD_HELP = `${PASSWORD_HELP}
Attempts that were counted before still count: where there were too many, sign-ins are refused for up to 15 minutes more.`;

const IMPORT_HELP = `
FILE holds a JSON array, or one JSON object a line, of {"id", "username", "password", "company"}, in UTF-8.
A row that is wrong, or in conflict with another row or account, is named by its line; the rest goes in. An account
that is already there, same id and username, is left exactly as it is, its password too: running it again changes nothing,
and one that was interrupted is simply run again.

Examples:
  npm run account -- import accounts.json
  gunzip -c accounts.jsonl.gz | npm run account -- import -`;

const USAGE_HELP = `
A day is one in UTC; days without an attempt are left out. REFUSED are attempts that the media provider gave no token
for. The bars show both: █ tokens, ░ refused. Records are kept for TOKEN_LEDGER_DAYS days.

Examples:
  npm run account -- usage --company "Radio Uno" --since 2026-11-01
  npm run --silent account -- usage --csv > usage.csv`;

const TOKENS_HELP = `
All times are in UTC: a day (2026-11-20) or a moment (2026-11-20T21:03, also with seconds). The newest ${MOST_TOKENS} are
shown. With --token, standard input is a token, or the whole address of a stream, of which the ledger has but a hash; it
shows who was given it. Records are kept for TOKEN_LEDGER_DAYS days.

Examples:
  npm run account -- tokens --from 2026-11-20T21:00 --to 2026-11-20T21:10
  npm run account -- tokens --token < address.txt
  npm run --silent account -- tokens --company "Radio Uno" --csv > tokens.csv`;

/**
 * Runs one account command.
 * @param args what follows the program's name on the command line
 * @returns the exit code; every failure was said in one line
 */
export async function runAccountCommand(args: string[], world: CommandWorld): Promise<number> {
  let exitCode = EXIT_OK;
  try {
    const program = accountProgram(world, (code) => {
      exitCode = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    if (world.interruption.signal.aborted && !(error instanceof LostOutput)) {
      world.remarks.write('interrupted\n');
      return EXIT_INTERRUPTED;
    }
    world.remarks.write(`error: ${failureMessage(error).replaceAll(/\s+/g, ' ')}\n`);
    return EXIT_FAILED;
  }
}

function accountProgram(world: CommandWorld, setExitCode: (exitCode: number) => void): Command {
  const { input, interruption } = world;
  const write = (text: string) =>
    new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => world.output.write(text, resolve));
  /** A reader may stop early, as `head` does; whatever else keeps a result from being written is a failure. */
  const say = async (text: string): Promise<void> => {
    const { code = null } = (await write(text)) ?? {};
    if (code !== null && code !== 'EPIPE') throw new LostOutput(`the output could not be written (${code})`);
  };
  const sayOnce = async (password: string): Promise<void> => {
    const error = await write(`${password}\n`);
    if (error) {
      throw new LostOutput(
        `the password could not be written (${error.code}): choose another with set-password`,
      );
    }
  };
  const remark = (text: string) => world.remarks.write(`${text}\n`);

  const withDatabase = async (work: (database: AccountsDatabase) => Promise<void>): Promise<void> => {
    const database = await world.openDatabase();
    try {
      // Without DATABASE_URL, as the server may have it, an operator would look for the account in vain.
      remark(`in ${database.name}`);
      interruption.signal.throwIfAborted();
      await work(database);
    } catch (error) {
      throw blaming(database.variable, error);
    } finally {
      await database.close();
    }
  };

  /** Says what was done; with a generated password, that alone is the result. */
  const withPassword = (
    generate: true | undefined,
    work: (prisma: PrismaClient, choosePassword: PasswordSource) => Promise<string>,
  ): Promise<void> =>
    withDatabase(async ({ prisma }) => {
      if (generate) {
        const password = generatePassword();
        remark(`${await work(prisma, async () => password)}. The password, shown only now:`);
        await sayOnce(password);
      } else {
        const done = await work(prisma, () => readPassword({ input, prompts: world.remarks, interruption }));
        await say(`${done}\n`);
      }
    });

  const program = new Command('npm run account --')
    .description("Manages the partners' accounts.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.output.write(text),
      writeErr: (text) => world.remarks.write(text),
      outputError: (text, write) => write(`${visible(text.trim().replaceAll('\n', ' '))}\n`),
    })
    .addHelpText('after', HELP)
    .addOption(new Option('--password [password]').hideHelp())
    .on('option:password', () => {
      program.error('error: a password is not taken as an argument: type it, pipe it in, or use --generate');
    });

  program
    .command('add')
    .description('add an account')
    .requiredOption('--username <username>', 'what the partner signs in with, 6 to 32 characters')
    .requiredOption('--company <company>', "the partner company's name")
    .option('--generate', 'make a password and print it, this once')
    .addHelpText('after', PASSWORD_HELP)
    .addHelpText('after', examples('add --username radio@uno.example --company "Radio Uno"'))
    .action(({ username, company, generate }: { username: string; company: string; generate?: true }) =>
      withPassword(generate, async (prisma, choosePassword) => {
        const { id } = await addAccount(prisma, { username, company }, choosePassword);
        return `Added ${username} (${company}) with id ${id}`;
      }),
    );

  program
    .command('list')
    .description('list every account')
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', examples('list'))
    .action(({ json }: { json?: true }) =>
      withDatabase(async ({ prisma }) => {
        const accounts = await listAccounts(prisma);
        await say(`${json ? JSON.stringify(accounts, null, 2) : accountsTable(accounts)}\n`);
      }),
    );

  program
    .command('set-password')
    .description("change an account's password, which ends its sessions")
    .requiredOption('--username <username>', 'the account')
    .option('--generate', 'make a password and print it, this once')
    .addHelpText('after', SET_PASSWORD_HELP)
    .addHelpText('after', examples('set-password --username radio@uno.example'))
    .action(({ username, generate }: { username: string; generate?: true }) =>
      withPassword(generate, async (prisma, choosePassword) => {
        await setPassword(prisma, username, choosePassword);
        return `Changed the password of ${username} and ended its sessions`;
      }),
    );

  for (const disabled of [true, false]) {
    const name = disabled ? 'disable' : 'enable';
    program
      .command(name)
      .description(
        disabled ? 'disable an account, which ends its sessions' : 'enable a disabled account again',
      )
      .requiredOption('--username <username>', 'the account')
      .addHelpText('after', examples(`${name} --username radio@uno.example`))
      .action(({ username }: { username: string }) =>
        withDatabase(async ({ prisma }) => {
          const changed = await setDisabled(prisma, username, disabled);
          await say(`${username} ${changed ? `is now ${name}d` : `was ${name}d already`}\n`);
        }),
      );
  }

  program
    .command('usage')
    .description('show the tokens of each company, day by day')
    .option('--company <company>', 'of this company alone, as list writes it')
    .option('--since <day>', `from this day on, as 2026-11-20 (default: ${USAGE_DAYS} days ago)`, (day) =>
      startOfDay(day, world.clock()),
    )
    .option('--csv', 'as CSV, for spreadsheets and programs')
    .addHelpText('after', USAGE_HELP)
    .action(({ company, since, csv }: { company?: string; since?: Date; csv?: true }) =>
      withDatabase(async ({ prisma }) => {
        const days = await readUsage(prisma, {
          company: company ?? null,
          since: since ?? daysAgo(USAGE_DAYS, world.clock()),
        });
        await say(csv ? usageCsv(days) : `${usageTable(days)}\n`);
      }),
    );

  program
    .command('tokens')
    .description('show who asked for which token, when and from where, newest first')
    .option('--company <company>', 'of this company alone, as list writes it')
    .option('--from <time>', 'from this moment on, in UTC', moment)
    .option('--to <time>', 'before this moment, in UTC', moment)
    .option('--token', 'of the token or address on standard input alone')
    .option('--csv', 'as CSV, for spreadsheets and programs')
    .addHelpText('after', TOKENS_HELP)
    .action((options: { company?: string; from?: Date; to?: Date; token?: true; csv?: true }) =>
      withDatabase(async ({ prisma }) => {
        if (options.token && input.isTTY) remark('The token or address, then Enter and Ctrl-D:');
        const { lines, isMore } = await readTokenRecords(prisma, {
          company: options.company ?? null,
          from: options.from ?? null,
          to: options.to ?? null,
          token: options.token ? tokenOfInput(await text(addAbortSignal(interruption.signal, input))) : null,
          limit: MOST_TOKENS,
        });
        await say(options.csv ? tokenRecordsCsv(lines) : `${tokenRecordsTable(lines)}\n`);
        if (isMore) remark(`These are the newest ${MOST_TOKENS} only: --from and --to show others`);
        if (options.token && lines.length === 0) {
          remark('No record has that token');
          setExitCode(EXIT_FAILED);
        }
      }),
    );

  program
    .command('import <file>')
    .description('add the accounts of an export of the old collection (- is standard input)')
    .addHelpText('after', IMPORT_HELP)
    .action((file: string) =>
      withDatabase(async (database) => {
        const tally = { added: 0, alreadyThere: 0, refused: 0 };
        const summary = () =>
          `${tally.added} added, ${tally.alreadyThere} already there, ${tally.refused} refused`;
        const progress = progressOn(world.remarks, await rowCount(file, world));
        let hasBegun = false;
        const rows = readAccountExport(exportBytes(file, world));
        try {
          for await (const row of importAccounts(database, rows, interruption.signal)) {
            hasBegun = true;
            tally[row.outcome] += 1;
            progress.show(tally.added + tally.alreadyThere + tally.refused, summary());
            const said =
              row.outcome === 'refused' ? row.fault : row.outcome === 'added' ? row.remark : undefined;
            if (said === undefined) continue;
            progress.clear();
            remark(`${row.place}: ${said}`);
          }
          hasBegun = true;
        } finally {
          progress.clear();
          if (hasBegun) await say(`${summary()}\n`);
        }
        interruption.signal.throwIfAborted();
        if (tally.alreadyThere > 0)
          remark('Accounts already there were left as they are, their passwords too.');
        if (tally.refused > 0) setExitCode(EXIT_FAILED);
      }),
    );

  return program;
}

async function* exportBytes(file: string, { input, interruption }: CommandWorld): AsyncGenerator<Uint8Array> {
  const { signal } = interruption;
  const bytes = file === '-' ? addAbortSignal(signal, input) : createReadStream(file, { signal });
  try {
    yield* bytes;
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : 'unknown failure';
    throw new OperatorError(`the export cannot be read: ${reason}`, { cause: error });
  }
}

function startOfDay(day: string, now: Date): Date {
  const start = new Date(`${day}T00:00:00.000Z`);
  if (
    !/^\d{4}-\d\d-\d\d$/.test(day) ||
    Number.isNaN(start.getTime()) ||
    !start.toISOString().startsWith(day)
  ) {
    throw new InvalidArgumentError('It must be a day, as 2026-11-20.');
  }
  if (start > now) throw new InvalidArgumentError('It must not be in the future.');
  return start;
}

/** A day or a moment in UTC. */
function moment(time: string): Date {
  const [, day, clock = 'T00:00'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?Z?$/.exec(time) ?? [];
  const at = new Date(`${day}${clock}Z`);
  if (day === undefined || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day)) {
    throw new InvalidArgumentError('It must be a day or a moment in UTC, as 2026-11-20 or 2026-11-20T21:03.');
  }
  return at;
}

function daysAgo(days: number, now: Date): Date {
  const start = now.getTime() - days * DAY_MS;
  return new Date(start - (start % DAY_MS));
}

/** How many rows an export has; null for one that can be read only once. */
async function rowCount(file: string, world: CommandWorld): Promise<number | null> {
  const isThere = file !== '-' && (await stat(file).catch(() => null))?.isFile();
  if (!isThere) return null;
  let count = 0;
  for await (const _ of readAccountExport(exportBytes(file, world))) count += 1;
  return count;
}

function examples(...commands: string[]): string {
  return `\nExample:\n${commands.map((command) => `  npm run account -- ${command}`).join('\n')}`;
}

function failureMessage(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('; ');
  if (error instanceof OperatorError) return error.message;
  const fault = databaseFault(error);
  if (fault !== null) return fault;
  const { name, code } = error as NodeJS.ErrnoException;
  return `unexpected failure (${[name, code].filter(Boolean).join(' ')})`;
}
