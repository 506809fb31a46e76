import { COMMANDS } from '../config/installation.ts';
import { applyMigrations } from '../database/migrations/migrations.ts';
import { escapeInvisible } from '../observing/sanitizing.ts';
import { EXIT_OK, runCliProcess, writeResult } from './cliProcess.ts';
import { locateDatabase } from './locateDatabase.ts';

await runCliProcess(
  `${COMMANDS.migrate}\nApplies the migrations that the database lacks, as a start of the server does.`,
  migrate,
);

async function migrate(signal: AbortSignal): Promise<number> {
  const { url, variable } = await locateDatabase(process.env, {
    onName: (name) => remark(`in ${name}`),
    signal,
  });
  const onWarning = (message: string) => remark(`warning: ${escapeInvisible(message)}`);
  const applied = await applyMigrations(url, { variable, signal, onWarning });
  const lines = applied.map((name) => `Applied ${name}\n`);
  await writeResult(process.stdout, lines.join('') || 'There is nothing to apply\n');
  return EXIT_OK;
}

function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}
