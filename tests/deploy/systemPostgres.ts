import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { vi } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import { requirePostgresFolder, requireTool } from '../support/testTools.ts';
import { makeThrowawayFolder, THROWAWAY_SETTINGS } from '../support/throwawayPostgres.ts';

export type SystemPostgres = {
  /** The address of the instances' database, as their role; both are still to be created. */
  url: string;
  asSuperuser(statement: string): Promise<pg.QueryResultRow[]>;
  env: { PATH: string; PGHOST: string; PGPORT: string };
  /** Stops it at once, as a power cut does, and starts it again, on another port if one is given. */
  restart(port?: number): Promise<void>;
  close(): Promise<void>;
};

const SUPERUSER = 'postgres';
/** The role that every installation creates, and its database. */
const ROLE = 'audio';
const LOCALE = 'es_ES.iso88591';
const START_TIMEOUT_MS = 30_000;

/**
 * Starts a throwaway server of the machine's own PostgreSQL: the embedded one lacks pg_dump and pg_restore, and the
 * machine's refuse a newer server. Its own databases have a locale of Latin-1, which no documented command may take over.
 */
export async function startSystemPostgres(): Promise<SystemPostgres> {
  const programs = requirePostgresFolder();
  const { folder, remove } = await makeThrowawayFolder();
  const cluster = path.join(folder, 'postgres');
  const data = path.join(cluster, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const user = otherUserThanRoot();
  if (user !== null) {
    chmodSync(cluster, 0o711);
    chownSync(data, user.uid, user.gid);
  }
  const locales = path.join(cluster, 'locales');
  mkdirSync(locales);
  if (user !== null) chownSync(locales, user.uid, user.gid);
  const how = {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', LOCPATH: `${locales}:/usr/lib/locale` },
    ...user,
  };
  const latin = ['-i', 'es_ES', '-f', 'ISO-8859-1', path.join(locales, LOCALE)];
  execFileSync(requireTool('localedef'), latin, { ...how, stdio: 'ignore' });
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', SUPERUSER, '-A', 'trust', `--locale=${LOCALE}`, '--no-sync'],
    { ...how, stdio: 'ignore' },
  );
  let port = await freePort();
  let server: ChildProcess;
  const url = (user: string, database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;
  const asSuperuser = (statement: string) => query(url(SUPERUSER, 'postgres'), statement);
  async function start(): Promise<void> {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      ...THROWAWAY_SETTINGS,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(path.join(programs, 'postgres'), ['-D', data, ...options], { ...how, stdio: 'ignore' });
    server.unref();
    await vi.waitFor(() => asSuperuser('SELECT 1'), { timeout: START_TIMEOUT_MS });
  }
  await start();
  return {
    get url() {
      return url(ROLE, ROLE);
    },
    get env() {
      return { PATH: `${programs}:${process.env.PATH}`, PGHOST: '127.0.0.1', PGPORT: String(port) };
    },
    asSuperuser,
    async restart(newPort = port) {
      const exit = once(server, 'exit');
      server.kill('SIGQUIT');
      await exit;
      port = newPort;
      await start();
    },
    close: remove,
  };
}

/** PostgreSQL refuses to run as root. */
function otherUserThanRoot(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
