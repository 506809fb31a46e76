import v8 from 'node:v8';
import { loadDotEnv } from '../config/config.ts';
import { openAccountsDatabase } from './accountsDatabase.ts';
import { operatorName } from './audit.ts';
import { runAccountCommand } from './commands.ts';
import { setUpProgram } from './program.ts';

// Makes V8 collect garbage earlier: an import of 100,000 rows then takes a few megabytes more than one of 1,000, not 75
// (docs/performance.md).
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20']) v8.setFlagsFromString(flag);

const interruption = setUpProgram();

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
