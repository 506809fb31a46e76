import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import { requirePostgresFolder } from '../support/testTools.ts';
import { makeThrowawayFolder, THROWAWAY_SETTINGS } from '../support/throwawayPostgres.ts';

export type SystemPostgres = {
  /** Of a database in it with nothing in it, as a role that owns it and has no other right. */
  url: string;
  /** Runs a statement as the superuser, or as one of that name made since, and gives its rows. */
  asSuperuser(statement: string, superuser?: string): Promise<pg.QueryResultRow[]>;
  /** What its programs find it by, and themselves. */
  env: { PATH: string; PGHOST: string; PGPORT: string };
  close(): Promise<void>;
};

/** As docs/database.sql makes them: the role owns the database, and may make no other. */
const ROLE = 'audio';
export const ROLE_PASSWORD = '5ec2e7';
const DATABASE_SCRIPT = path.join(PROJECT_ROOT, 'docs', 'database.sql');
const START_TIMEOUT_MS = 30_000;

/**
 * A throwaway PostgreSQL of this machine's own: the embedded one comes without the programs that dump and restore, and
 * theirs refuse a server that is newer than they are.
 * @param superuser - `audio` where the role itself is to be the superuser, as in volumes made before there was docs/database.sql
 */
export async function startSystemPostgres(
  superuser: 'postgres' | 'audio' = 'postgres',
): Promise<SystemPostgres> {
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
  const how = { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...user };
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...how,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...THROWAWAY_SETTINGS,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(path.join(programs, 'postgres'), ['-D', data, ...options], {
    ...how,
    stdio: 'ignore',
  });
  server.unref();
  const url = (user: string, database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;
  const asSuperuser = (statement: string, as: string = superuser) => query(url(as, 'postgres'), statement);
  await expect.poll(() => answers(asSuperuser), { timeout: START_TIMEOUT_MS }).toBe(true);
  // So does the container's image.
  await asSuperuser(`ALTER ROLE ${superuser} PASSWORD '${ROLE_PASSWORD}'`);
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
  };
  if (superuser === ROLE) await asSuperuser(`CREATE DATABASE ${ROLE}`);
  else {
    execFileSync(path.join(programs, 'psql'), ['--username', superuser, '--file', DATABASE_SCRIPT], {
      env: { ...env, POSTGRES_PASSWORD: ROLE_PASSWORD },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return {
    url: url(ROLE, ROLE),
    env,
    asSuperuser,
    close: remove,
  };
}

/** PostgreSQL refuses to run as root. */
function otherUserThanRoot(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function answers(asSuperuser: SystemPostgres['asSuperuser']): Promise<boolean> {
  await asSuperuser('SELECT 1');
  return true;
}
