import type { Command } from 'commander';
import { NEVER_STORED } from '../../shared/credentialRules.ts';
import { NOTICE_MAX_LENGTH } from '../notice/notice.ts';
import { type AuditedDatabase, writeAuditLine } from './audit.ts';
import { UsageError } from './cliProcess.ts';
import { type CommandContext, example } from './commandContext.ts';

const ID = 1;

const HELP = `
The line is shown on the sign-in screen and the dashboard of every partner
within a minute, as plain text, until it is cleared or replaced.`;

export function addNoticeCommands(root: Command, { say, withDatabase }: CommandContext): void {
  const notice = root
    .command('notice')
    .description('show a line to all partners')
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .addHelpText('after', HELP)
    .addHelpText('after', example('notice set "El partido empieza a las 21:30"'));

  notice
    .command('set')
    .description('set or replace the line')
    .usage('<text>')
    .argument('[text...]', `the line, in quotation marks, up to ${NOTICE_MAX_LENGTH} characters`)
    // Commander's own messages would repeat a long text.
    .allowUnknownOption()
    .action((words: string[]) => {
      const text = noticeText(words);
      return withDatabase(async ({ prisma, operator }) => {
        await prisma.$transaction([
          // Deleted first, so that the database tells the time of the new line.
          prisma.notice.deleteMany(),
          prisma.notice.create({ data: { id: ID, text } }),
          writeAuditLine(prisma, { operator, command: 'notice set', account: null, details: text }),
        ]);
        await say('Partners see the notice within a minute\n');
      });
    });

  notice
    .command('clear')
    .description('remove the line')
    .action(() =>
      withDatabase(async (database) =>
        say((await clear(database)) ? 'The notice is gone within a minute\n' : 'There was no notice\n'),
      ),
    );

  notice
    .command('show')
    .description('print the line and since when it is shown')
    .action(() =>
      withDatabase(async ({ prisma }) => {
        const shown = await prisma.notice.findFirst();
        await say(shown === null ? 'There is no notice\n' : `${shown.since.toISOString()}  ${shown.text}\n`);
      }),
    );
}

async function clear({ prisma, operator }: AuditedDatabase): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.notice.deleteMany();
    if (count > 0) await writeAuditLine(transaction, { operator, command: 'notice clear', account: null });
    return count > 0;
  });
}

function noticeText([text = '', ...more]: string[]): string {
  const length = Array.from(text).length;
  if (more.length > 0) throw new UsageError('put the notice in quotation marks, as one argument');
  if (text.trim() === '') throw new UsageError('write the notice after set, in quotation marks');
  if (NEVER_STORED.test(text)) throw new UsageError('the notice contains control characters');
  if (length > NOTICE_MAX_LENGTH) {
    throw new UsageError(`the notice has ${length} characters, and ${NOTICE_MAX_LENGTH} is the most`);
  }
  return text;
}
