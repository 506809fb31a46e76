import { execFile } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { OperatorError } from '../server/errors.ts';

const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS'];

/** Spawns with the Node that runs this, whatever `PATH` names. */
export function toolCommand(name: string, env: Record<string, string>) {
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return {
    command: path.join(PROJECT_ROOT, 'node_modules/.bin', name),
    options: { cwd: PROJECT_ROOT, env: { ...process.env, PATH, ...env } },
  };
}

/**
 * Runs the program of an installed package in the project's root, silently.
 * @throws {Error} with its output, which `reportFailure` prints
 */
export async function runTool(name: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const { command, options } = toolCommand(name, { NO_COLOR: '1', ...env });
  const running = promisify(execFile)(command, args, { ...options, maxBuffer: Infinity });
  running.child.stdin?.end();
  const stop = () => running.child.kill();
  process.once('exit', stop);
  try {
    await running;
  } finally {
    process.off('exit', stop);
  }
}

export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await work();
  console.log(`  ${name.padEnd(16)} ${secondsSince(startMs)}`);
  return result;
}

/** Waits for all even when one fails, so that nothing goes on unattended. */
export async function inParallel(work: Array<Promise<unknown>>): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

/** Lets Ctrl-C and `kill` end the process by `process.exit`, so that listeners of `exit` run. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/** Prints why a script failed, with a tool's output, and sets exit code 1. */
export function reportFailure(error: unknown): void {
  const { code, path: file } = error as NodeJS.ErrnoException;
  if (error instanceof OperatorError) console.error(error.message);
  else if (file !== undefined && NOT_WRITABLE.includes(code ?? '')) {
    console.error(`Nothing can be written at ${file} (${code}). Run as a user who may: npm run build`);
  } else if (error instanceof Error && 'stdout' in error) console.error(`${error.stdout}${error.message}`);
  else console.error(error);
  process.exitCode = 1;
}

export function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1_000).toFixed(1)} s`;
}
