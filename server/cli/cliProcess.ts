import type { Writable } from 'node:stream';
import { allowSlowAddresses } from '../config/addresses.ts';
import { loadDotEnv } from '../config/dotEnv.ts';
import { OperatorError } from '../errors.ts';
import { explainCommandError } from '../explainError.ts';
import { onProcessWarning } from '../observing/processWarnings.ts';
import { escapeInvisible, escapeInvisibleInLines } from '../observing/sanitizing.ts';

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

export class UsageError extends OperatorError {
  override readonly exitCode = EXIT_USAGE;
}

/** Thrown when a result could not be written: the command has failed then, also when it was interrupted. */
export class LostOutput extends OperatorError {}

const UTF_16_MARKS = ['fffe', 'feff'];

/**
 * Sends warnings to standard error, each in one line, and gives slow networks time.
 * @returns a controller that is aborted by a signal, or by a reader of the output that stops early, as `head` does
 */
export function setUpCliProcess(): AbortController {
  allowSlowAddresses();
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort());
  // `writeResult` reports other failures to write.
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') interruption.abort();
    });
  }
  onProcessWarning(({ message }) => process.stderr.write(`warning: ${escapeInvisible(message)}\n`));
  return interruption;
}

export async function runCliProcess(
  usage: string,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const { signal } = setUpCliProcess();
  const help = `Usage: ${usage}\n`;
  try {
    const [argument] = process.argv.slice(2);
    if (argument === '--help' || argument === '-h') {
      await writeResult(process.stdout, help);
      process.exitCode = EXIT_OK;
      return;
    }
    if (argument !== undefined) {
      process.stderr.write(help);
      process.exitCode = EXIT_USAGE;
      return;
    }
    loadDotEnv();
    process.exitCode = await work(signal);
  } catch (error) {
    endCliProcess(writeFailure(error, process.stderr, signal));
  }
}

/** An interrupted command leaves names that are being looked up, and connections that are being opened. */
export function endCliProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (exitCode === EXIT_INTERRUPTED) process.stderr.write('', () => process.exit());
}

export function writeFailure(error: unknown, remarks: Writable, signal: AbortSignal): number {
  const isInterrupted = signal.aborted && !(error instanceof LostOutput);
  const explanation = isInterrupted ? 'interrupted' : `error: ${explainCommandError(error)}`;
  remarks.write(`${escapeInvisibleInLines(explanation)}\n`);
  if (isInterrupted) return EXIT_INTERRUPTED;
  return error instanceof OperatorError ? error.exitCode : EXIT_FAILED;
}

export async function writeResult(output: Writable, text: string): Promise<void> {
  const code = await writeFault(output, text);
  if (code !== null && code !== 'EPIPE') throw new LostOutput(`the output could not be written (${code})`);
}

export function writeFault(output: Writable, text: string): Promise<string | null> {
  return new Promise((resolve) =>
    output.write(text, (error) =>
      resolve(error ? ((error as NodeJS.ErrnoException).code ?? error.name) : null),
    ),
  );
}

/** Without the byte order mark that Notepad and PowerShell write at the start. */
export function utf8Input(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  // UTF-16 without a mark is valid UTF-8, with a NUL beside each letter.
  if (UTF_16_MARKS.includes(start) || bytes.includes(0)) {
    throw new OperatorError(
      'standard input is not UTF-8 text but UTF-16: in PowerShell write it by Out-File -Encoding utf8',
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError('standard input is not UTF-8 text');
  }
}
