import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../errors.ts';
import { POSTGRES_ENV, type PostgresCluster } from './postgresCluster.ts';
import { signalProcess } from './signalProcess.ts';

const POLL_MS = 5;
const STOP_TIMEOUT_MS = 20_000;
/** Below the ports that systems give to outgoing connections, so that one used before a crash is still free after it. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** The processes of a PostgreSQL that was killed hold its port until they notice. */
const PORT_HELD_MS = 2_000;

export type Postmaster = {
  pid: number;
  port: number;
  /** False while it starts, recovers or shuts down. */
  isReady: boolean;
};

export async function findPostmaster({ data }: PostgresCluster): Promise<Postmaster | null> {
  const written = await readPidFile(data);
  return written !== null && (await isPostmasterOf(data, written.pid)) ? written : null;
}

/** Returns the port of a PostgreSQL that crashed; undefined when the last one stopped in order. */
export async function portBeforeCrash({ data }: PostgresCluster): Promise<number | undefined> {
  return (await readPidFile(data))?.port;
}

/**
 * Starts PostgreSQL on 127.0.0.1 for a cluster where none runs. It outlives this process, and a Ctrl-C in the terminal does
 * not reach it. Resolves once it is ready, has ended (as when another process was quicker) or `deadline` has passed;
 * `findPostmaster` tells which.
 * @param preferredPort - used if it is free within 2 s
 * @param deadline - in epoch milliseconds
 */
export async function startPostmaster(
  cluster: PostgresCluster,
  { preferredPort, deadline }: { preferredPort: number | undefined; deadline: number },
): Promise<void> {
  await removeMisleadingPidFile(cluster.data);
  const options = {
    port: String(await choosePort(preferredPort)),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_checkpoints: 'off',
  };
  const log = await open(cluster.log, 'a', 0o600);
  await log.chmod(0o600);
  const child = spawn(
    path.join(cluster.binaries, 'postgres'),
    ['-D', cluster.data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { env: POSTGRES_ENV, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd], ...cluster.runAs },
  );
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  child.once('exit', end).once('error', end).unref();
  await log.close();
  while (!hasEnded && Date.now() < deadline) {
    const written = await readPidFile(cluster.data);
    if (written?.pid === child.pid && written?.isReady) return;
    await delay(POLL_MS);
  }
}

export async function stopPostmaster(cluster: PostgresCluster): Promise<void> {
  const running = await findPostmaster(cluster);
  if (running === null) return;
  signalProcess(running.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await findPostmaster(cluster)) !== null) {
    if (Date.now() > deadline) throw new OperatorError(`PostgreSQL (process ${running.pid}) does not stop`);
    await delay(POLL_MS);
  }
}

/** The file's lines: https://www.postgresql.org/docs/current/storage-file-layout.html and `pidfile.h`. */
async function readPidFile(data: string): Promise<Postmaster | null> {
  const content = await readFile(pidFile(data), 'utf8').catch(() => '');
  const [pid, , , port, , , , status = ''] = content.split('\n');
  if (!(Number(pid) > 0 && Number(port) > 0)) return null;
  return { pid: Number(pid), port: Number(port), isReady: status.trim() === 'ready' };
}

function pidFile(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/**
 * Removes the file of a crashed PostgreSQL if another process has its id by now, as happens in containers: PostgreSQL would
 * take that process for a running one and refuse to start. It replaces other left files itself.
 */
async function removeMisleadingPidFile(data: string): Promise<void> {
  const left = await readPidFile(data);
  if (left === null || !signalProcess(left.pid, 0) || (await isPostmasterOf(data, left.pid))) return;
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

async function choosePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined) {
    const end = Date.now() + PORT_HELD_MS;
    do {
      if (await isFree(preferred)) return preferred;
      await delay(POLL_MS);
    } while (Date.now() < end);
  }
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await once(server.close(), 'close');
  return true;
}
