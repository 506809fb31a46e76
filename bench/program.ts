import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../scripts/steps.ts';
import { nodeOn } from './cores.ts';

/** A server in a process of its own. */
export type Program = {
  address: string;
  pid: number;
  stop(): Promise<void>;
};

/**
 * Starts one of our programs, which says where it listens by a line of JSON with an `address`.
 * @param file from the project's root
 * @param cores that it is kept to
 */
export async function startProgram(
  file: string,
  environment: Record<string, string>,
  args: string[] = [],
  cores?: readonly number[],
): Promise<Program> {
  const [command, ...itsArgs] = nodeOn(cores);
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(command, [...itsArgs, ...loader, path.join(ROOT, file), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(() => {
    process.off('exit', kill);
  });
  const lines = createInterface(child.stdout);
  const address = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const found = addressIn(line);
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

function addressIn(line: string): string | undefined {
  try {
    const { address } = JSON.parse(line) as { address?: unknown };
    return typeof address === 'string' ? address : undefined;
  } catch {
    return undefined;
  }
}
