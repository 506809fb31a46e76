import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

/** A server as a process of its own; `output` is what it has said so far. */
export type ServerProcess = ChildProcessByStdio<null, Readable, Readable> & { output: string };

export const FROM_SOURCE = ['--import', 'tsx', 'server/main.ts'];
/** Starts in a third of the time, once there is a build: see `buildUnlessFresh`. */
export const BUILT = ['dist/server/main.js'];

/** The server with nothing set but `env`, by Node in the project's folder unless told. Whoever launches it stops it. */
export function launchServer(
  args: string[],
  env: Record<string, string>,
  {
    program = process.execPath,
    ...options
  }: { program?: string; cwd?: string; uid?: number; gid?: number } = {},
): ServerProcess {
  const child = spawn(program, args, {
    cwd: PROJECT_ROOT,
    ...options,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = Object.assign(child, { output: '' });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      server.output += text;
    });
  }
  return server;
}

/** @returns the exit code, null when it was killed */
export async function stopServer(server: ServerProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (server.exitCode !== null || server.signalCode !== null) return server.exitCode;
  const exit = once(server, 'exit');
  server.kill(signal);
  return (await exit)[0];
}
