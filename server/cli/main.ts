import { loadDotEnv } from '../config/config.ts';
import { operatorName } from './audit.ts';
import { openMigrated } from './migratedDatabase.ts';
import { setUpProgram } from './program.ts';
import { runAccountCommand } from './runAccountCommand.ts';

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
    return openMigrated(process.env, { onName, signal: interruption.signal });
  },
});
