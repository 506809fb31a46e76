import { spawn } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolderOnce } from '../../../../server/demo/atomicFiles.ts';
import { prepareCluster } from '../../../../server/demo/postgres/cluster.ts';
import {
  findEmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../../../server/demo/postgres/embeddedPostgres.ts';
import { spawnPostmaster } from '../../../../server/demo/postgres/postmaster.ts';
import { query } from '../../../support/query.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import {
  makeThrowawayFolder,
  THROWAWAY_SETTINGS,
  type ThrowawayFolder,
} from '../../../support/throwawayPostgres.ts';

let throwaway: ThrowawayFolder;
/** Closes what a failed test left open. */
const leaving: Array<() => Promise<void>> = [];

beforeAll(async () => {
  throwaway = await makeThrowawayFolder();
});

afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave();
});

afterAll(async () => {
  await throwaway.remove();
});

test('is a UTF-8 database that its user alone can read', async () => {
  const postgres = await open();
  const settings = `SELECT current_setting('server_encoding') AS encoding,
    current_setting('listen_addresses') AS address, current_setting('unix_socket_directories') AS sockets`;
  expect(await query(postgres.url, settings)).toEqual([
    { encoding: 'UTF8', address: '127.0.0.1', sockets: '' },
  ]);
  const stranger = new URL(postgres.url);
  stranger.password = 'guessed';
  await expect(query(stranger.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  expect(postgres.url).toContain(await readFile(path.join(postgres.folder, 'password'), 'utf8'));
  for (const file of ['password', 'postgres.log']) {
    const { mode } = await stat(path.join(postgres.folder, file));
    expect({ file, mode: mode & 0o777 }).toEqual({ file, mode: 0o600 });
  }
});

test('of two that open a new folder at once one owns it, and the other names it', async () => {
  const folder = path.join(throwaway.folder, 'two');
  const [owner, other] = (await Promise.allSettled([open(folder), open(folder)])).toSorted(({ status }) =>
    status === 'fulfilled' ? -1 : 1,
  );
  expect(owner).toMatchObject({ status: 'fulfilled' });
  expect(String(Object(other).reason)).toMatch(
    `Another server uses the database under ${Object(owner).value.folder}: process ${process.pid} (`,
  );
});

test('a new cluster removes what killed starts left of it', async () => {
  const folder = temporaryFolder({ 'made.new-1/data/file': '', 'other/file': '' });
  await makeFolderOnce(path.join(folder, 'made'), async (draft) => void (await mkdir(draft)));
  expect((await readdir(folder)).toSorted()).toEqual(['made', 'other']);
});

test('a copied folder that other users may read is refused in the words of PostgreSQL', async () => {
  const { folder, close } = await open();
  await close();
  const data = path.join(folder, 'data');
  await chmod(data, 0o755);
  await expect(open()).rejects.toThrow(/does not come up\. The end of .*invalid permissions/s);
  await chmod(data, 0o700);
});

test('a connection that is still open delays no stop', async () => {
  const postgres = await open();
  const client = new pg.Client(postgres.url);
  client.on('error', () => {});
  await client.connect();
  await postgres.close();
  await expect(client.query('SELECT 1')).rejects.toThrow();
  await client.end();
});

test('a start during a stop waits, and commands find no database', async () => {
  const stopping = await open();
  const halted = new pg.Client(stopping.url);
  halted.on('error', () => {});
  await halted.connect();
  const { rows } = await halted.query('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0].pid, 'SIGSTOP');
  const stopped = stopping.close();
  await expect.poll(() => postmasterLine(stopping.folder, 7)).toBe('stopping');

  const starting = open();
  expect(await findEmbeddedPostgres(throwaway.folder)).toBeNull();
  process.kill(rows[0].pid, 'SIGCONT');
  await stopped;
  const next = await starting;
  expect(await findEmbeddedPostgres(throwaway.folder)).toEqual({ url: next.url, folder: next.folder });
  await next.close();
  expect(await findEmbeddedPostgres(throwaway.folder)).toBeNull();
});

test('an owner whose connection is cut stops PostgreSQL for the next one', async () => {
  const onLost = vi.fn();
  const former = await open(throwaway.folder, onLost);
  const formerProcess = await postmasterLine(former.folder, 0);
  const ownerConnection = `FROM pg_stat_activity WHERE application_name LIKE 'process ${process.pid} (%'`;
  // PostgreSQL may stop before it answers.
  await query(former.url, `SELECT pg_terminate_backend(pid) ${ownerConnection}`).catch(() => {});
  await expect.poll(() => onLost.mock.calls.length).toBe(1);
  await former.close();
  const next = await open();
  expect(await postmasterLine(next.folder, 0)).not.toBe(formerProcess);
  await next.close();
  await expect(query(next.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a PostgreSQL that nobody owns makes way for the next one', async () => {
  const orphan = await spawnPostmaster(await prepareCluster(throwaway.folder, THROWAWAY_SETTINGS), null);
  await expect.poll(() => findEmbeddedPostgres(throwaway.folder)).not.toBeNull();
  const { folder } = await open();
  expect(await postmasterLine(folder, 0)).not.toBe(String(orphan.pid));
});

test('after kill -9 of PostgreSQL a reused process id prevents no start', async () => {
  const onLost = vi.fn();
  const before = await open(throwaway.folder, onLost);
  const data = path.join(before.folder, 'data');
  const file = path.join(data, 'postmaster.pid');
  const content = await readFile(file, 'utf8');
  process.kill(Number.parseInt(content, 10), 'SIGKILL');
  await expect.poll(() => onLost.mock.calls.length).toBe(1);
  // PostgreSQL itself sees through the processes of other users.
  const { uid, gid } = await stat(data);
  const other = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void other.kill());
  await writeFile(file, content.replace(/^\d+/, String(other.pid)));
  // The file would be root's.
  if (process.getuid?.() === 0) await chown(file, uid, gid);

  const postgres = await open();
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await postgres.close();
});

test('a folder closed to others is found again after a move', async () => {
  const closed = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
  const moved = `${closed}-moved`;
  const before = path.join(closed, 'before');
  const after = path.join(moved, 'before');
  const first = await open(before);
  onTestFinished(async () => {
    for (const folder of [first.folder, closed, moved]) await rm(folder, { recursive: true, force: true });
  });
  await query(first.url, 'CREATE TABLE moved_along (id int)');
  expect((await stat(closed)).mode & 0o777).toBe(0o700);
  // Root's PostgreSQL runs as another user, to whom this folder is closed.
  expect(first.folder.startsWith(before)).toBe(process.getuid?.() !== 0);
  await first.close();

  await rename(closed, moved);
  const { url } = await open(after);
  expect(await query(url, `SELECT to_regclass('moved_along') AS found`)).toEqual([{ found: 'moved_along' }]);
  expect(await findEmbeddedPostgres(after)).toMatchObject({ url });
});

async function open(where = throwaway.folder, onLost = () => {}) {
  const postgres = await openEmbeddedPostgres({ folder: where, settings: THROWAWAY_SETTINGS, onLost });
  leaving.push(postgres.close);
  return postgres;
}

/** Returns a line of PostgreSQL's file: 0 is its process id, 7 its status. */
async function postmasterLine(folder: string, index: number): Promise<string | undefined> {
  const file = await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8');
  return file.split('\n')[index]?.trim();
}
