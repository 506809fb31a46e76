import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';

/** A server in its own process; `output` is everything that it wrote so far, but for a standard output given to it. */
export type ServerProcess = ChildProcess & { output: string };

/** The server as last built: `npm test` builds first. */
export const BUILT = ['dist/server/main.js'];

/**
 * Starts a server with no environment but `env`, by Node in the project's folder by default. The caller stops it.
 * @param options - `stdout` is a file descriptor to write to
 */
export function launchServer(
  args: string[],
  env: Record<string, string>,
  {
    program = process.execPath,
    stdout,
    ...options
  }: { program?: string; cwd?: string; uid?: number; gid?: number; stdout?: number } = {},
): ServerProcess {
  const child = spawn(program, args, {
    cwd: PROJECT_ROOT,
    ...options,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  const server = Object.assign(child, { output: '' });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
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

export async function becomesReady(server: ServerProcess, port: number): Promise<void> {
  await vi.waitFor(async () => expect(await readiness(server, port)).toBe(200), {
    timeout: 240_000,
    interval: 20,
  });
}

async function readiness(server: ServerProcess, port: number): Promise<number | string> {
  if (server.exitCode !== null) return `It ended instead of starting: ${server.output}`;
  const headers = { connection: 'close' };
  return fetch(`http://127.0.0.1:${port}/readyz`, { headers, signal: AbortSignal.timeout(30_000) }).then(
    ({ status }) => status,
    (error: Error) => `${error.message}: ${server.output}`,
  );
}
