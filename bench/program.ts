import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '../server/config/folders.ts';

export type Program = {
  address: string;
  pid: number;
  stop(): Promise<void>;
};

export type ProgramOptions = {
  environment: Record<string, string>;
  args?: string[];
  /** Command to run Node with, such as `taskset -c 1`. */
  prefix?: string;
};

/**
 * Starts one of the project's programs and waits until it prints a line of JSON with its `address`.
 * @param file - relative to the project's root
 */
export async function startProgram(
  file: string,
  { environment, args = [], prefix = '' }: ProgramOptions,
): Promise<Program> {
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const words = [...prefix.split(' ').filter(Boolean), process.execPath, ...loader];
  const [command = process.execPath, ...rest] = [...words, path.join(PROJECT_ROOT, file), ...args];
  const child = spawn(command, rest, {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(() => {
    process.off('exit', kill);
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = /"address":"(http[^"]+)"/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    ended.then(() => reject(new Error(`${file} ended before it listened`)));
  });
  return {
    address,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
