import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import ora from 'ora';
import { COMMANDS } from '../../../config/installation.ts';
import { OperatorError } from '../../../errors.ts';
import type { CommandContext, CommandRuntime } from '../../commandContext.ts';
import { createImportAudit, type ImportedRow, importAccounts } from './importAccounts.ts';
import { parseAccountExport } from './parseAccountExport.ts';

const MAX_MB = 20;

const IMPORT_HELP = `
FILE holds {"id", "username", "password", "company"} in UTF-8, up to ${MAX_MB} MB:
as a JSON array, or one JSON object after the other, on one line or several; or
as Firestore's tools write it, an object by document id, within
"__collections__" or the collection's name or not, or the "documents" of its
REST API. A row that is wrong, or conflicts with another row or account, is
reported by its line or number; the others are added. JSON that is broken is
refused whole. An existing account with the same id and username stays as it is, password
included: importing again changes nothing, so an interrupted import can simply
be repeated.

Examples:
  ${COMMANDS.account} import accounts.json
  gunzip -c accounts.jsonl.gz | ${COMMANDS.account} import -`;

const EMPTY = 'the export has no row, so nothing was imported: check its source';
const TOO_LARGE = `the export is larger than ${MAX_MB} MB, so nothing was imported: split the file and import the parts one after another`;

export function addImportCommand(
  root: Command,
  { runtime, say, remark, withDatabase, markFailed }: CommandContext,
): void {
  const { signal } = runtime.interruption;
  root
    .command('import <file>')
    .description('add the accounts of an export of the old collection (- is standard input)')
    .addHelpText('after', IMPORT_HELP)
    .action((file: string) =>
      withDatabase(async ({ prisma, operator }) => {
        const rows = parseAccountExport(await readExport(file, runtime));
        if (rows.length === 0) throw new OperatorError(EMPTY);
        const tally = { added: 0, alreadyThere: 0, refused: 0 };
        const done = () => tally.added + tally.alreadyThere + tally.refused;
        const summary = () =>
          `${tally.added} added, ${tally.alreadyThere} already there, ${tally.refused} refused`;
        const progress = () => `${Math.floor((100 * done()) / rows.length)} %: ${summary()}`;
        const audit = createImportAudit(operator);
        const spinner = ora({
          stream: runtime.remarks,
          isSilent: !runtime.remarks.isTTY,
          discardStdin: false,
        }).start(progress());
        try {
          for await (const row of importAccounts(prisma, rows, audit, signal)) {
            tally[row.outcome] += 1;
            spinner.text = progress();
            for (const said of saidOf(row)) remark(`${row.place}: ${said}`);
          }
          await audit.finish(prisma, summary());
        } finally {
          spinner.stop();
          if (done() > 0) await say(`${summary()}\n`);
        }
        signal.throwIfAborted();
        if (tally.alreadyThere > 0)
          remark('Accounts already there were left as they are, their passwords too.');
        if (tally.refused > 0) markFailed();
      }),
    );
}

function saidOf(row: ImportedRow): string[] {
  switch (row.outcome) {
    case 'added':
      return row.remarks;
    case 'refused':
      return [row.fault];
    case 'alreadyThere':
      return [];
  }
}

async function readExport(file: string, { input, interruption }: CommandRuntime): Promise<Buffer> {
  const { signal } = interruption;
  const stream = file === '-' ? addAbortSignal(signal, input) : createReadStream(file, { signal });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > MAX_MB * 1_000_000) throw new OperatorError(TOO_LARGE);
      chunks.push(chunk);
    }
  } catch (error) {
    if (signal.aborted || error instanceof OperatorError) throw error;
    const reason = error instanceof Error ? error.message : 'unknown failure';
    throw new OperatorError(`the export cannot be read: ${reason}`, { cause: error });
  }
  return Buffer.concat(chunks);
}
