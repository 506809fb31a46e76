import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import type { ServerProcess } from '../support/serverProcess.ts';
import { requireTool } from '../support/testTools.ts';
import { writeConfig } from './nginxConfig.ts';
import { makeServiceFolder, startService } from './service.ts';

/** PgBouncer refuses to run as root. */
const AS_ANOTHER_USER = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

/**
 * Starts PgBouncer with `deploy/pgbouncer.ini` in front of a database, until the test ends.
 * @param databaseUrl - of a superuser, who may read the stored secret
 * @param changes - lines of the configuration, each with its replacement
 * @returns the address that leads through it
 */
export async function startPgbouncer(
  databaseUrl: string,
  changes: Record<string, string> = {},
): Promise<string> {
  const url = new URL(databaseUrl);
  url.port = String(await freePort());
  const folder = await makeServiceFolder();
  const [row] = await query(databaseUrl, 'SELECT rolpassword FROM pg_authid WHERE rolname = current_user');
  await writePgbouncer(folder, databaseUrl, { port: url.port, secret: row?.rolpassword, changes });
  await runPgbouncer(folder, url.href);
  return url.href;
}

/**
 * Writes the files of a PgBouncer for a database into a folder.
 * @param secret - the stored one, not the password: from that PgBouncer would derive it for each connection
 */
export async function writePgbouncer(
  folder: string,
  databaseUrl: string,
  { port, secret, changes }: { port: number | string; secret: string; changes?: Record<string, string> },
): Promise<void> {
  const behind = new URL(databaseUrl);
  const userlist = path.join(folder, 'userlist.txt');
  await writeFile(userlist, `"${behind.username}" "${secret}"\n`);
  const name = behind.pathname.slice(1);
  const documented = await readFile(path.join(PROJECT_ROOT, 'deploy', 'pgbouncer.ini'), 'utf8');
  await writeConfig(path.join(folder, INI), documented, {
    'audio = host=127.0.0.1 port=5432 dbname=audio': `${name} = host=127.0.0.1 port=${behind.port} dbname=${name}`,
    'listen_port = 6432': `listen_port = ${port}`,
    '/etc/pgbouncer/userlist.txt': userlist,
    '[pgbouncer]': '[pgbouncer]\nunix_socket_dir =',
    ...changes,
  });
}

const INI = 'pgbouncer.ini';

/** Starts the PgBouncer of a folder, until the test ends, and waits until `url` leads through it. */
export async function runPgbouncer(folder: string, url: string): Promise<ServerProcess> {
  const command = [requireTool('pgbouncer'), ...AS_ANOTHER_USER, '-q', path.join(folder, INI)];
  const service = startService('SIGINT', command);
  const answer = () => query(url, 'SELECT 1 AS one').catch(() => service.output);
  await expect.poll(answer, { timeout: 20_000, interval: 20 }).toEqual([{ one: 1 }]);
  return service;
}
