import { openAccountsDatabase } from './accounts/accountsDatabase.ts';
import { runAccountCommand } from './accounts/commands.ts';
import { loadDotEnv } from './config.ts';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
// Whoever reads the output may stop early, as `head` does.
for (const output of [process.stdout, process.stderr]) output.on('error', () => interruption.abort());

process.exitCode = await runAccountCommand(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  remarks: process.stderr,
  interruption,
  clock: () => new Date(),
  async openDatabase() {
    loadDotEnv();
    return openAccountsDatabase(process.env);
  },
});
