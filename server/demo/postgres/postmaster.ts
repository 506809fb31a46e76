import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import { ignore } from '../atomicFiles.ts';
import { POSTGRES_ENV, runBinary } from './binaries.ts';
import type { Cluster, RunnableCluster } from './cluster.ts';

const POLL_MS = 5;
const STOP_TIMEOUT_MS = 20_000;
/** Below the ports that systems give to outgoing connections. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const NO_UNIX_SOCKET = '';

/**
 * Becomes PostgreSQL, and stops it once standard input ends. This process holds the other end, so that PostgreSQL ends
 * with it, also after kill -9. The watcher is nobody's child, since PostgreSQL would log its end.
 */
const WITH_OWNER = 'exec 3<&0 </dev/null; ( { read -r _ <&3; kill -INT $$; } & ); exec 3<&-; exec "$@"';

/**
 * PostgreSQL's main process, as its file tells: https://www.postgresql.org/docs/current/storage-file-layout.html and
 * `pidfile.h`. `status` is `starting`, `ready`, `stopping`, or `ended` if only the file is left.
 */
export type Postmaster = { pid: number; port: number; status: string };

export async function findPostmaster({ data }: Cluster): Promise<Postmaster | null> {
  const file = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(ignore('ENOENT'));
  const [pid, , , port, , , , status = 'starting'] = file?.split('\n') ?? [];
  if (!pid || !port) return null;
  // Its process id may be another program's by now.
  const runs = (await commandLine(Number(pid))).includes(data);
  return { pid: Number(pid), port: Number(port), status: runs ? status.trim() : 'ended' };
}

/**
 * Starts PostgreSQL on 127.0.0.1 for a cluster where none runs. It stops when this process or the standard input of the
 * returned one ends; a Ctrl-C in the terminal does not reach it. It ends at once if another one was quicker.
 *
 * @param ended - the crashed one whose pid file is left: another program may have its process id by now, and PostgreSQL
 *   would take that for a running PostgreSQL and refuse to start
 */
export async function spawnPostmaster(
  cluster: RunnableCluster,
  ended: Postmaster | null,
): Promise<ChildProcess> {
  // The next start takes another one if this is in use.
  const port = String(randomInt(FIRST_PORT, LAST_PORT));
  const file = path.join(cluster.binaries, 'postgres');
  // Explains why it cannot run here, which the shell would not.
  await runBinary(file, ['--version'], cluster.runAs);
  const log = await open(cluster.log, 'a', 0o600);
  const child = spawn(
    'sh',
    [
      '-c',
      WITH_OWNER,
      'sh',
      file,
      '-D',
      cluster.data,
      '-h',
      '127.0.0.1',
      '-p',
      port,
      '-k',
      NO_UNIX_SOCKET,
      '-c',
      'log_checkpoints=off',
    ],
    {
      // Tells PostgreSQL to ignore this process id in the pid file, as `pg_ctl` does.
      env: { ...POSTGRES_ENV, ...(ended && { PG_GRANDPARENT_PID: String(ended.pid) }) },
      cwd: '/',
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
      ...cluster.runAs,
    },
  );
  child.unref();
  (child.stdin as Socket).on('error', () => {}).unref();
  await once(child, 'spawn').finally(() => log.close());
  return child;
}

export async function stopPostmaster({ pid }: Postmaster): Promise<void> {
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await commandLine(pid)) !== '') {
    if (Date.now() > deadline) throw new OperatorError(`PostgreSQL (process ${pid}) does not stop`);
    await delay(POLL_MS);
  }
}

/** Returns a process's command line; empty for one that has ended, even if its parent has not noticed yet. */
export async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8');
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout;
  } catch {
    return '';
  }
}
