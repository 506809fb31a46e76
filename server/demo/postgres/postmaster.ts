import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import { POSTGRES_ENV } from './binaries.ts';
import type { Cluster } from './cluster.ts';

const POLL_MS = 5;
const STOP_TIMEOUT_MS = 20_000;
/** Below the ports that systems give to outgoing connections. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

export type Postmaster = { pid: number; port: number };

/** Returns the PostgreSQL that runs, starts or stops in a cluster; null if its process has ended, however it ended. */
export async function findPostmaster({ data }: Cluster): Promise<Postmaster | null> {
  const written = await readPidFile(data);
  return written !== null && (await isPostmasterOf(data, written.pid)) ? written : null;
}

/**
 * Starts PostgreSQL on 127.0.0.1 for a cluster where none runs. It outlives this process, and a Ctrl-C in the
 * terminal does not reach it. The returned process ends at once if another one was quicker.
 */
export async function spawnPostmaster(cluster: Cluster): Promise<ChildProcess> {
  await removeMisleadingPidFile(cluster.data);
  const options = {
    // The next start takes another one if this is in use.
    port: randomInt(FIRST_PORT, LAST_PORT),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_checkpoints: 'off',
  };
  const log = await open(cluster.log, 'a', 0o600);
  const child = spawn(
    path.join(cluster.binaries, 'postgres'),
    ['-D', cluster.data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { env: POSTGRES_ENV, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd], ...cluster.runAs },
  );
  child.unref();
  await once(child, 'spawn').finally(() => log.close());
  return child;
}

export async function stopPostmaster(cluster: Cluster): Promise<void> {
  const running = await findPostmaster(cluster);
  if (running === null) return;
  signal(running.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await findPostmaster(cluster))?.pid === running.pid) {
    if (Date.now() > deadline) throw new OperatorError(`PostgreSQL (process ${running.pid}) does not stop`);
    await delay(POLL_MS);
  }
}

/** The file's lines: https://www.postgresql.org/docs/current/storage-file-layout.html and `pidfile.h`. */
async function readPidFile(data: string): Promise<Postmaster | null> {
  const content = await readFile(pidFile(data), 'utf8').catch(() => '');
  const [pid, , , port] = content.split('\n').map(Number);
  return pid && port ? { pid, port } : null;
}

function pidFile(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/**
 * Removes the file of a crashed PostgreSQL if another process has its id by now, as happens in containers: PostgreSQL
 * would take that process for a running one and refuse to start. It replaces other left files itself.
 */
async function removeMisleadingPidFile(data: string): Promise<void> {
  const left = await readPidFile(data);
  if (left === null || !signal(left.pid, 0) || (await isPostmasterOf(data, left.pid))) return;
  await rm(pidFile(data), { force: true });
}

async function isPostmasterOf(data: string, pid: number): Promise<boolean> {
  return (await commandLine(pid)).includes(data);
}

/** Returns a process's command line; empty for one that has ended, even if its parent has not noticed yet. */
async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8');
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout;
  } catch {
    return '';
  }
}

/** Returns whether there is such a process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
