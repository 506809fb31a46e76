import { loadDotEnv } from '../../config/dotEnv.ts';
import { endCliProcess, setUpCliProcess } from '../cliProcess.ts';
import { openMigrated, operatorName, serverSecret } from '../commandContext.ts';
import { runAccountCommand } from './runAccountCommand.ts';

const interruption = setUpCliProcess();

const exitCode = await runAccountCommand(process.argv.slice(2), {
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
  jwtSecret: () => serverSecret(process.env),
});
endCliProcess(exitCode);
