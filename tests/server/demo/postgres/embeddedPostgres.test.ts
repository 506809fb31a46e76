import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolderOnce } from '../../../../server/demo/atomicFiles.ts';
import { openEmbeddedPostgres } from '../../../../server/demo/postgres/embeddedPostgres.ts';
import { query } from '../../../support/query.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import {
  makeThrowawayFolder,
  postmasterPid,
  THROWAWAY_SETTINGS,
  type ThrowawayFolder,
} from '../../../support/throwawayPostgres.ts';

const USER_SCRIPT = fileURLToPath(new URL('./embeddedPostgresUser.ts', import.meta.url));

let throwaway: ThrowawayFolder;
/** Closes what a failed test left open. */
const leaving: Array<() => Promise<void>> = [];

beforeAll(async () => {
  throwaway = await makeThrowawayFolder();
  const postgres = await open();
  await query(postgres.url, 'CREATE TABLE notes (note text)');
  await postgres.close();
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
    const { mode, uid } = await stat(path.join(postgres.folder, file));
    expect({ file, mode: mode & 0o777, uid }).toEqual({ file, mode: 0o600, uid: process.getuid?.() });
  }
});

test('a new cluster removes what killed starts left of it', async () => {
  const folder = temporaryFolder({ 'made.new-1/data/file': '', 'other/file': '' });
  await makeFolderOnce(path.join(folder, 'made'), async (draft) => void (await mkdir(draft)));
  expect((await readdir(folder)).toSorted()).toEqual(['made', 'other']);
});

test('a copied folder that belongs to another user is refused with what to do', async () => {
  const cluster = path.join(throwaway.folder, 'postgres');
  const { uid } = await stat(path.join(cluster, 'data'));
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
  const said = await open().catch(String);
  getuid.mockRestore();
  expect(said).toContain(
    `belongs to uid ${uid}, and PostgreSQL would run as uid ${uid + 1}. As root, run: chown -R ${uid + 1} ${cluster}`,
  );
});

test('a copied folder that other users may read is refused in the words of PostgreSQL', async () => {
  const data = path.join(throwaway.folder, 'postgres', 'data');
  await chmod(data, 0o755);
  await expect(open()).rejects.toThrow(/does not come up\. The end of .*invalid permissions/s);
  await chmod(data, 0o700);
});

test('a program that leaves stops it for no other', async () => {
  const first = await startUser();
  const second = await open();
  expect(second.url).toBe(first.url);
  await first.leave();
  const third = await startUser();
  await second.close();
  expect(await query(third.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await third.leave();
  await expectStopped(third.url);
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

test('processes that leave at the same time stop it', async () => {
  const [first, second] = await Promise.all([open(), open()]);
  await Promise.all([first.close(), second.close()]);
  await expectStopped(first.url);
});

test('after kill -9 of the process that opened it the next one takes it over', async () => {
  const victim = await startUser();
  await query(victim.url, `INSERT INTO notes VALUES ('orphaned')`);
  victim.child.kill('SIGKILL');
  await once(victim.child, 'exit');

  const heir = await open();
  expect(heir.url).toBe(victim.url);
  expect(await query(heir.url, `SELECT note FROM notes WHERE note = 'orphaned'`)).toHaveLength(1);
  await heir.close();
  await expectStopped(heir.url);
});

test('after kill -9 of PostgreSQL itself its process is told, and the next one starts it again', async () => {
  const onGone = vi.fn();
  const survivor = await open(throwaway.folder, onGone);
  await query(survivor.url, `INSERT INTO notes VALUES ('committed')`);
  process.kill(await postmasterPid(survivor.folder), 'SIGKILL');
  await expect.poll(() => onGone.mock.calls.length, { timeout: 20_000 }).toBe(1);

  const next = await open();
  expect(await query(next.url, `SELECT note FROM notes WHERE note = 'committed'`)).toHaveLength(1);
  await next.close();
  await survivor.close();
});

test('after kill -9 of the whole machine a reused process id prevents no start', async () => {
  const before = await open();
  const data = path.join(before.folder, 'data');
  const content = await readFile(path.join(data, 'postmaster.pid'), 'utf8');
  await before.close();
  // PostgreSQL itself sees through the processes of other users.
  const { uid, gid } = await stat(data);
  const other = spawn('sleep', ['60'], { uid, gid });
  onTestFinished(() => void other.kill());
  await writeFile(path.join(data, 'postmaster.pid'), content.replace(/^\d+/, String(other.pid)));

  const postgres = await open();
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await postgres.close();
});

test('a folder closed to others is found again after a move', async () => {
  const closed = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
  const moved = `${closed}-moved`;
  const before = path.join(closed, 'before');
  const after = path.join(moved, 'before');
  const [first, second] = await Promise.all([open(before), open(before)]);
  onTestFinished(async () => {
    for (const folder of [first.folder, closed, moved]) await rm(folder, { recursive: true, force: true });
  });
  expect(second.url).toBe(first.url);
  await query(first.url, 'CREATE TABLE moved_along (id int)');
  expect((await stat(closed)).mode & 0o777).toBe(0o700);
  // Root's PostgreSQL runs as another user, to whom this folder is closed.
  expect(first.folder.startsWith(before)).toBe(process.getuid?.() !== 0);
  await first.close();
  await second.close();

  await rename(closed, moved);
  const { url } = await open(after);
  expect(await query(url, `SELECT to_regclass('moved_along') AS found`)).toEqual([{ found: 'moved_along' }]);
});

async function open(where = throwaway.folder, onGone = () => {}) {
  const postgres = await openEmbeddedPostgres({ folder: where, settings: THROWAWAY_SETTINGS, onGone });
  leaving.push(postgres.close);
  return postgres;
}

/** Another process that has the database open. */
async function startUser(): Promise<{ url: string; child: ChildProcess; leave(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', USER_SCRIPT, throwaway.folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface(child.stdout), 'line');
  const leave = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    await once(child, 'exit');
  };
  leaving.push(leave);
  return { url, child, leave };
}

async function expectStopped(url: string): Promise<void> {
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}
