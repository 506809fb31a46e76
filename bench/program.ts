import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '../server/config/folders.ts';

export type Program = {
  address: string;
  pid: number;
  stop(): Promise<void>;
};

/** Starts a program in the project's root and waits until it prints its address. */
export async function startProgram(
  [command = '', ...args]: string[],
  environment: NodeJS.ProcessEnv,
): Promise<Program> {
  const child = spawn(command, args, {
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
      const [found] = /http:\/\/[\w.:]+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    ended.then(() => reject(new Error(`${command} ${args.join(' ')} ended before it listened`)), reject);
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
