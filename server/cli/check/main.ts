import { loadDotEnv } from '../../config/config.ts';
import { onProcessWarning } from '../../observing/processWarnings.ts';
import { visible } from '../../observing/visibleText.ts';
import { failureMessage } from '../failureMessage.ts';
import { runCheck } from './check.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());

onProcessWarning(({ message }) => process.stderr.write(`warning: ${visible(message)}\n`));

if (process.argv.length > 2) {
  process.stderr.write(
    'Usage: npm run check\nTries once everything that the server needs, and changes nothing.\n',
  );
  process.exitCode = EXIT_USAGE;
} else {
  try {
    loadDotEnv();
    const world = { output: process.stdout, remarks: process.stderr, clock: () => new Date() };
    process.exitCode = await runCheck(process.env, { ...world, signal: interruption.signal });
  } catch (error) {
    const isInterrupted = interruption.signal.aborted;
    process.stderr.write(isInterrupted ? 'interrupted\n' : `error: ${failureMessage(error)}\n`);
    process.exitCode = isInterrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
  }
}
