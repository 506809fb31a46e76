import v8 from 'node:v8';
import { loadDotEnv } from '../config/config.ts';
import { onProcessWarning } from '../observing/processWarnings.ts';
import { visible } from '../observing/visibleText.ts';
import { openAccountsDatabase } from './accountsDatabase.ts';
import { operatorName } from './audit.ts';
import { runAccountCommand } from './commands.ts';

// Makes V8 collect garbage earlier: an import of 100,000 rows then takes a few megabytes more than one of 1,000, not 75
// (docs/performance.md).
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) v8.setFlagsFromString(flag);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
// A reader of the output may stop early, as `head` does. Other failures to write are reported by the command.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') interruption.abort();
  });
}

onProcessWarning(({ message }) => process.stderr.write(`warning: ${visible(message)}\n`));

process.exitCode = await runAccountCommand(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  remarks: process.stderr,
  interruption,
  operator: operatorName(process.env),
  clock: () => new Date(),
  async openDatabase(onName) {
    loadDotEnv();
    return openAccountsDatabase(process.env, { onName, signal: interruption.signal });
  },
});
