import { readDotEnv } from '../../config/dotEnv.ts';
import { COMMANDS } from '../../config/installation.ts';
import { runCliProcess } from '../cliProcess.ts';
import { runCheck } from './check.ts';
import { STREAM_TIMES } from './streamCheck.ts';

await runCliProcess(
  `${COMMANDS.check}\nTries once everything that the server needs, and changes nothing.`,
  (signal) =>
    runCheck(process.env, {
      output: process.stdout,
      clock: () => new Date(),
      signal,
      streamTimes: STREAM_TIMES,
      dotEnv: readDotEnv(),
      root: '/',
    }),
);
