import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A tool that ended with another code than 0, or could not be started. */
export class ToolFailure extends Error {
  /** All that it printed. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.name = 'ToolFailure';
    this.output = output;
  }
}

/** How to spawn an installed package's program: in the project's root, on the Node that runs this. */
export function toolCommand(name: string, env: Record<string, string>) {
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return {
    command: path.join(ROOT, 'node_modules/.bin', name),
    options: { cwd: ROOT, env: { ...process.env, PATH, ...env } },
  };
}

/**
 * Runs an installed package's program in the project's root, silently.
 * @returns what it printed
 * @throws ToolFailure
 */
export function runTool(name: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { command, options } = toolCommand(name, { NO_COLOR: '1', ...env });
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = () => child.kill();
    process.once('exit', stop);
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => reject(new ToolFailure(error.message, output)));
    child.once('close', (code, signal) => {
      process.off('exit', stop);
      // Some colour their output whatever they are told.
      const text = stripVTControlCharacters(output);
      if (code === 0) resolve(text);
      else reject(new ToolFailure(`${name} ${args.join(' ')} ended with ${code ?? signal}`, text));
    });
  });
}

/** Does the work and prints its name with the time that it took. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await work();
  console.log(`  ${name.padEnd(16)} ${secondsSince(startMs)}`);
  return result;
}

/** Like Promise.all, but the work that goes on when other work fails is waited for: nothing runs on unattended. */
export async function inParallel(work: Array<Promise<unknown>>): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

/** Lets Ctrl-C and `kill` end the process the orderly way, with what is registered for `exit`. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/** Prints why a script failed, with the whole output of the tool where one did, and sets exit code 1. */
export function reportFailure(error: unknown): void {
  if (error instanceof ToolFailure) console.error(`${error.output.trim()}\n${error.message}`);
  else console.error(error);
  process.exitCode = 1;
}

/** @param startMs of `performance.now()` */
export function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1_000).toFixed(1)} s`;
}
