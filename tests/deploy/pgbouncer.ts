import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import { requireTool } from '../support/testTools.ts';
import { makeServiceFolder, startService, writeConfig } from './service.ts';

/** PgBouncer refuses to run as root. */
const AS_ANOTHER_USER = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

/**
 * Starts PgBouncer with `deploy/pgbouncer.ini` in front of a database, until the test ends.
 * @param changes - lines of the configuration, each with its replacement
 * @returns the address that leads through it
 */
export async function startPgbouncer(
  databaseUrl: string,
  changes: Record<string, string> = {},
): Promise<string> {
  const program = requireTool('pgbouncer');
  const behind = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  url.port = String(await freePort());
  const folder = await makeServiceFolder();
  const userlist = path.join(folder, 'userlist.txt');
  // The stored secret, not the password: from that PgBouncer would derive the secret for each connection.
  const [row] = await query(databaseUrl, 'SELECT rolpassword FROM pg_authid WHERE rolname = current_user');
  await writeFile(userlist, `"${behind.username}" "${row?.rolpassword}"\n`);
  const name = behind.pathname.slice(1);
  const documented = await readFile(path.join(PROJECT_ROOT, 'deploy', 'pgbouncer.ini'), 'utf8');
  await writeConfig(path.join(folder, 'pgbouncer.ini'), documented, {
    'audio = host=127.0.0.1 port=5432 dbname=audio': `${name} = host=127.0.0.1 port=${behind.port} dbname=${name}`,
    'listen_port = 6432': `listen_port = ${url.port}`,
    '/etc/pgbouncer/userlist.txt': userlist,
    '[pgbouncer]': '[pgbouncer]\nunix_socket_dir =',
    ...changes,
  });
  const ini = path.join(folder, 'pgbouncer.ini');
  const service = startService('SIGINT', [program, ...AS_ANOTHER_USER, '-q', ini]);
  const answer = () => query(url.href, 'SELECT 1 AS one').catch(() => service.output);
  await expect.poll(answer, { timeout: 20_000, interval: 20 }).toEqual([{ one: 1 }]);
  return url.href;
}
