import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { freePort } from './freePort.ts';
import { requirePostgres } from './testTools.ts';
import { makeThrowawayFolder, THROWAWAY_SETTINGS } from './throwawayPostgres.ts';

export type SystemPostgres = {
  /** Of a database in it with nothing in it, as a role that owns it and has no other right. */
  url: string;
  /** Runs a statement as the superuser. */
  asSuperuser(statement: string): Promise<void>;
  /** The folder of its programs. */
  programs: string;
  close(): Promise<void>;
};

const SUPERUSER = 'postgres';
/** As docs/operations.md wants it: it owns its database, and may make no other. */
const ROLE = 'audio';
const START_TIMEOUT_MS = 30_000;

/**
 * A throwaway PostgreSQL of this machine's own: the embedded one comes without the programs that dump and restore, and
 * theirs refuse a server that is newer than they are.
 */
export async function startSystemPostgres(): Promise<SystemPostgres> {
  const { initdb, postgres } = await requirePostgres();
  const { folder, remove } = await makeThrowawayFolder();
  const cluster = path.join(folder, 'postgres');
  const data = path.join(cluster, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const user = otherUserThanRoot();
  if (user !== null) {
    chmodSync(cluster, 0o711);
    chownSync(data, user.uid, user.gid);
  }
  const how = { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...user };
  execFileSync(initdb, ['-D', data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...how,
    stdio: 'ignore',
  });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...THROWAWAY_SETTINGS,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', data, ...options], { ...how, stdio: 'ignore' });
  server.unref();
  const url = (user: string, database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;
  const superuserUrl = url(SUPERUSER, 'postgres');
  await expect.poll(() => createDatabase(superuserUrl), { timeout: START_TIMEOUT_MS }).toBe(true);
  return {
    url: url(ROLE, ROLE),
    programs: path.dirname(postgres),
    asSuperuser: (statement) => query(superuserUrl, statement),
    close: remove,
  };
}

/** PostgreSQL refuses to run as root. */
function otherUserThanRoot(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function createDatabase(url: string): Promise<boolean> {
  await query(url, `CREATE ROLE ${ROLE} LOGIN`, `CREATE DATABASE ${ROLE} OWNER ${ROLE}`);
  return true;
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
