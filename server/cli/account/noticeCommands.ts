import type { Command } from 'commander';
import { NEVER_STORED } from '../../../shared/credentialRules.ts';
import { type AuditedDatabase, writeAuditLine } from '../../accounts/auditLines.ts';
import type { Notice } from '../../generated/prisma/client.ts';
import { currentNotice, deleteNotice, NOTICE_MAX_LENGTH, replaceNotice } from '../../notice.ts';
import { endOfValidity, endTime, UNTIL_HELP } from '../arguments/typedTimes.ts';
import { UsageError } from '../cliProcess.ts';
import { type CommandContext, example } from '../commandContext.ts';

const HELP = `
The line is shown on the sign-in screen and the dashboard of every partner
within a minute, as plain text, until it ends, is cleared or is replaced.`;

export function addNoticeCommands(root: Command, { runtime, say, withDatabase }: CommandContext): void {
  const notice = root
    .command('notice')
    .description('show a line to all partners')
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .addHelpText('after', HELP)
    .addHelpText('after', example('notice set "El partido empieza a las 21:30"'));

  notice
    .command('set')
    .description('set or replace the line')
    .usage('<text> [--until <date>]')
    .argument('[text...]', `the line, in quotation marks, up to ${NOTICE_MAX_LENGTH} characters`)
    .option('--until <date>', `${UNTIL_HELP}; or none`, (text) => endOfValidity(text, runtime.clock()))
    // Commander's own messages would repeat a long text.
    .allowUnknownOption()
    .action((words: string[], { until = 'none' }: { until?: Date | 'none' }) => {
      const text = noticeText(words);
      const end = until === 'none' ? null : until;
      const details = end === null ? text : `${text} (until ${endTime(end)})`;
      return withDatabase(async ({ prisma, operator }) => {
        await prisma.$transaction([
          replaceNotice(prisma, { text, since: runtime.clock(), until: end }),
          writeAuditLine(prisma, { operator, command: 'notice set', account: null, details }),
        ]);
        await say(
          `Partners see the notice within a minute${end === null ? '' : `, until ${endTime(end)}`}\n`,
        );
      });
    });

  notice
    .command('clear')
    .description('remove the line')
    .action(() =>
      withDatabase(async (database) =>
        say(
          (await clear(database, runtime.clock()))
            ? 'The notice is gone within a minute\n'
            : 'There was no notice\n',
        ),
      ),
    );

  notice
    .command('show')
    .description('print the line, since when it is shown and when it ends')
    .action(() =>
      withDatabase(async ({ prisma }) => {
        const shown = await currentNotice(prisma, runtime.clock());
        await say(shown === null ? 'There is no notice\n' : `${inWords(shown)}\n`);
      }),
    );
}

async function clear({ prisma, operator }: AuditedDatabase, now: Date): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const wasShown = await deleteNotice(transaction, now);
    if (wasShown) await writeAuditLine(transaction, { operator, command: 'notice clear', account: null });
    return wasShown;
  });
}

function inWords({ since, text, until }: Notice): string {
  const end = until === null ? '' : `  (until ${endTime(until)})`;
  return `${since.toISOString()}  ${text}${end}`;
}

function noticeText([text = '', ...more]: string[]): string {
  const length = Array.from(text).length;
  if (more.length > 0) throw new UsageError('put the notice in quotation marks, as one argument');
  if (/^--[a-z]/i.test(text) || text === 'help')
    throw new UsageError('the notice is an option or the word help: see notice set --help');
  if (text.trim() === '') throw new UsageError('write the notice after set, in quotation marks');
  if (NEVER_STORED.test(text)) throw new UsageError('the notice contains control characters');
  if (length > NOTICE_MAX_LENGTH) {
    throw new UsageError(`the notice has ${length} characters, and ${NOTICE_MAX_LENGTH} is the most`);
  }
  return text;
}
