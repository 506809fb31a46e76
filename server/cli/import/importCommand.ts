import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { OperatorError } from '../../errors.ts';
import type { CommandContext, CommandWorld } from '../commandContext.ts';
import { importAccounts } from './importAccounts.ts';
import { createImportAudit } from './importAudit.ts';
import { progressOn } from './importProgress.ts';
import { readAccountExport } from './readAccountExport.ts';

const IMPORT_HELP = `
FILE holds a JSON array, or one JSON object a line, of {"id", "username", "password", "company"}, in UTF-8.
A row that is wrong, or in conflict with another row or account, is named by its line; the rest goes in. An account
that is already there, same id and username, is left exactly as it is, its password too: running it again changes nothing,
and one that was interrupted is simply run again.

Examples:
  npm run account -- import accounts.json
  gunzip -c accounts.jsonl.gz | npm run account -- import -`;

const EMPTY = 'the export has no row, so nothing was imported: check the command or file that it comes from';

/** Adds the command `import`. */
export function addImportCommand(
  program: Command,
  { world, say, remark, withDatabase, markFailed }: CommandContext,
): void {
  const { signal } = world.interruption;
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
        const audit = createImportAudit(world.operator);
        const done = () => tally.added + tally.alreadyThere + tally.refused;
        const rows = readAccountExport(exportBytes(file, world));
        try {
          for await (const row of importAccounts(database, rows, audit, signal)) {
            tally[row.outcome] += 1;
            progress.show(done(), summary());
            const said =
              row.outcome === 'refused' ? row.fault : row.outcome === 'added' ? row.remark : undefined;
            if (said === undefined) continue;
            progress.clear();
            remark(`${row.place}: ${said}`);
          }
          await audit.finish(database.prisma, summary());
        } finally {
          progress.clear();
          if (done() > 0) await say(`${summary()}\n`);
        }
        signal.throwIfAborted();
        if (done() === 0) throw new OperatorError(EMPTY);
        if (tally.alreadyThere > 0)
          remark('Accounts already there were left as they are, their passwords too.');
        if (tally.refused > 0) markFailed();
      }),
    );
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

/** Counts the rows of an export; null for one that can be read only once. */
async function rowCount(file: string, world: CommandWorld): Promise<number | null> {
  const isThere = file !== '-' && (await stat(file).catch(() => null))?.isFile();
  if (!isThere) return null;
  let count = 0;
  for await (const _ of readAccountExport(exportBytes(file, world))) count += 1;
  return count;
}
