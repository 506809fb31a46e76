import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { DAY_MS } from '../../../../shared/durations.ts';
import { readAuditLines } from '../../../accounts/auditLines.ts';
import { COMMANDS } from '../../../config/installation.ts';
import { TokenOutcome } from '../../../generated/prisma/client.ts';
import { type AccountSelector, addAccountOptions } from '../../arguments/accountSelector.ts';
import { moment, startOfDay } from '../../arguments/typedTimes.ts';
import { utf8Input } from '../../cliProcess.ts';
import { type CommandContext, example } from '../../commandContext.ts';
import {
  auditTable,
  type CsvFormat,
  tokenRecordsCsv,
  tokenRecordsTable,
  usageCsv,
  usageTable,
} from './tables.ts';
import { readTokenRecords, readUsage, tokenOfInput } from './tokensReport.ts';

const USAGE_DAYS = 30;
const MOST_TOKENS = 1_000;

const CSV_HELP = `
--csv separates by semicolons, as spreadsheets of Spain and South America do.
Where they take commas (Mexico, Central America) all of it would stand in one
column: import the file by Data > From Text/CSV instead of opening it.`;

const USAGE_HELP = `${CSV_HELP}

Days are in UTC; days without an attempt are left out. PROVIDER FAILURES counts
the attempts for which the media provider gave no token. Records are kept for
TOKEN_LEDGER_DAYS days.

Examples:
  ${COMMANDS.account} usage --company "Radio Uno" --since 2026-11-01
  ${COMMANDS.accountInPipes} usage --csv > usage.csv`;

const TOKENS_HELP = `${CSV_HELP}

All times are in UTC: a day (2026-11-20) or an instant (2026-11-20T21:03, also
with seconds). The newest ${MOST_TOKENS} are shown. With --token, standard input
holds a token or a whole stream address, and the command shows who was given it;
the ledger stores only its hash. Records are kept for TOKEN_LEDGER_DAYS days.

Examples:
  ${COMMANDS.account} tokens --from 2026-11-20T21:00 --to 2026-11-20T21:10
  ${COMMANDS.account} tokens --token < address.txt
  ${COMMANDS.accountInPipes} tokens --company "Radio Uno" --csv > tokens.csv`;

const AUDIT_HELP = `
Lists every change and the OS user who made it; with sudo, the user who ran
sudo. With --username or --id, the account's changes under its other usernames
are listed too. Times are in UTC, by the clock of the machine that ran the
command. Lines are kept for TOKEN_LEDGER_DAYS days.`;

const OUTCOMES = Object.values(TokenOutcome);

type TokensOptions = {
  company?: string;
  from?: Date;
  to?: Date;
  outcome?: string;
  token?: true;
  csv?: CsvFormat;
};

export function addReportCommands(
  root: Command,
  { runtime, say, sayCsv, remark, withDatabase, markFailed }: CommandContext,
): void {
  root
    .command('usage')
    .description('show the tokens of each company, day by day')
    .option('--company <company>', 'only this company, written as in list')
    .option(
      '--since <day>',
      `from this day on, such as 2026-11-20 (default: ${USAGE_DAYS} days ago)`,
      (day) => startOfDay(day, runtime.clock()),
    )
    .addOption(csvOption())
    .addHelpText('after', USAGE_HELP)
    .action(({ company, since, csv }: { company?: string; since?: Date; csv?: CsvFormat }) =>
      withDatabase(async ({ prisma }) => {
        const first = since ?? daysAgo(USAGE_DAYS, runtime.clock());
        const days = await readUsage(prisma, { company: company ?? null, since: first });
        await (csv ? sayCsv(usageCsv(days, csv)) : say(`${usageTable(days)}\n`));
      }),
    );

  root
    .command('tokens')
    .description('show who asked for which token, when and from where, newest first')
    .option('--company <company>', 'only this company, written as in list')
    .option('--from <time>', 'from this instant on, in UTC', moment)
    .option('--to <time>', 'before this instant, in UTC', moment)
    .addOption(
      new Option('--outcome <outcome>', 'only this outcome').choices(
        OUTCOMES.map((outcome) => outcome.toLowerCase()),
      ),
    )
    .option('--token', 'only the token or address on standard input')
    .addOption(csvOption())
    .addHelpText('after', TOKENS_HELP)
    .action(({ token, csv, outcome, ...options }: TokensOptions, command: Command) => {
      const { from, to } = options;
      if (from && to && from > to) command.error('error: --from must not be after --to');
      return withDatabase(async ({ prisma }) => {
        if (token && runtime.input.isTTY) remark('The token or address, then Enter and Ctrl-D:');
        const readInput = () => buffer(addAbortSignal(runtime.interruption.signal, runtime.input));
        const { lines, isMore } = await readTokenRecords(prisma, {
          ...options,
          outcome: OUTCOMES.find((known) => known.toLowerCase() === outcome),
          token: token && tokenOfInput(utf8Input(await readInput())),
          limit: MOST_TOKENS,
        });
        if (token && lines.length === 0) {
          remark('No record has that token');
          markFailed();
          return;
        }
        await (csv ? sayCsv(tokenRecordsCsv(lines, csv)) : say(`${tokenRecordsTable(lines)}\n`));
        if (isMore) remark(`These are the newest ${MOST_TOKENS} only: --from and --to show others`);
      });
    });

  addAccountOptions(root.command('audit'), { isOptional: true })
    .description('show who changed which account, newest first')
    .option('--since <day>', 'from this day on, such as 2026-11-20', (day) =>
      startOfDay(day, runtime.clock()),
    )
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', AUDIT_HELP)
    .addHelpText('after', example('audit --username radio@uno.example --since 2026-11-01'))
    .action(({ json, ...options }: AccountSelector & { since?: Date; json?: true }) =>
      withDatabase(async ({ prisma }) => {
        const changes = await readAuditLines(prisma, options);
        await say(`${json ? JSON.stringify(changes, null, 2) : auditTable(changes)}\n`);
      }),
    );
}

function csvOption(): Option {
  return new Option('--csv [format]', 'as CSV for a spreadsheet, or --csv=plain for programs')
    .choices(['spreadsheet', 'plain'])
    .preset('spreadsheet');
}

function daysAgo(days: number, now: Date): Date {
  const start = now.getTime() - days * DAY_MS;
  return new Date(start - (start % DAY_MS));
}
