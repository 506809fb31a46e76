import { loadDotEnv } from '../config/config.ts';
import { blaming } from '../database/databaseFault.ts';
import { applyMigrations } from '../database/migrate.ts';
import { onProcessWarning } from '../observing/processWarnings.ts';
import { visible } from '../observing/visibleText.ts';
import { openCommandDatabase } from './commandDatabase.ts';
import { failureMessage } from './failureMessage.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());

onProcessWarning(({ message }) => remark(`warning: ${visible(message)}`));

if (process.argv.length > 2) {
  remark(
    'Usage: npm run migrate\nApplies the migrations that the database lacks, as a start of the server does.',
  );
  process.exitCode = EXIT_USAGE;
} else {
  try {
    await migrate();
  } catch (error) {
    const isInterrupted = interruption.signal.aborted;
    remark(isInterrupted ? 'interrupted' : `error: ${failureMessage(error)}`);
    process.exitCode = isInterrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
  }
}

/** Applies all missing migrations to the server's database; creates the embedded one if there is none. */
async function migrate(): Promise<void> {
  loadDotEnv();
  const { url, variable, close } = await openCommandDatabase(process.env, {
    mayCreate: true,
    onName: (name) => remark(`in ${name}`),
  });
  try {
    const applied = await applyMigrations(url, {
      variable,
      signal: interruption.signal,
      onWarning: (message) => remark(`warning: ${message}`),
    }).catch((error) => {
      throw blaming(variable, error);
    });
    for (const name of applied) process.stdout.write(`Applied ${name}\n`);
    if (applied.length === 0) process.stdout.write('There is nothing to apply\n');
  } finally {
    await close();
  }
}

function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}
