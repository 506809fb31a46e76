import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requireSameDatabase } from '../../../server/database/connection.ts';
import { query } from '../../support/query.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { startTcpProxy } from '../../support/tcpProxy.ts';
import { emptyTestDatabase } from '../../support/testDatabase.ts';
import { runAccountHere } from '../cli/runAccount.ts';

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  return url;
}

test('one database at two addresses is the same', async () => {
  const url = new URL(await emptyDatabase());
  const { port, close } = await startTcpProxy(Number(url.port));
  onTestFinished(close);
  const role = `role_${url.pathname.slice('/test_'.length)}`;
  await query(url.href, `CREATE ROLE ${role} LOGIN PASSWORD 'canario'`);
  onTestFinished(async () => void (await query(url.href, `DROP ROLE ${role}`)));
  const throughProxy = Object.assign(new URL(url), { port, username: role, password: 'canario' });
  await requireSameDatabase(throughProxy.href, url.href);
});

test('a DATABASE_DIRECT_URL of another database ends the start', async () => {
  const [databaseUrl, directUrl] = [await emptyDatabase(), await emptyDatabase()];
  const nameOf = (url: string) => `${new URL(url).pathname.slice(1)} at ${new URL(url).host}`;
  const { failure, close } = await startServerHere(databaseUrl, { env: { DATABASE_DIRECT_URL: directUrl } });
  await close();
  expect(failure).toBe(
    `DATABASE_URL leads to the database ${nameOf(databaseUrl)}, ` +
      `but DATABASE_DIRECT_URL to ${nameOf(directUrl)}, which is another one: correct the one that is wrong`,
  );
  expect(await query(directUrl, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

test('a silent database is no longer waited for once the end is requested', async () => {
  const silent = createServer(() => end.abort(new Error('ended'))).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const end = new AbortController();
  // So no time limit ends it.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const silentUrl = `postgresql://audio@127.0.0.1:${port}/audio`;
  await expect(requireSameDatabase('', silentUrl, end.signal)).rejects.toThrow('ended');
});

test('account commands refuse a DATABASE_DIRECT_URL of another database', async () => {
  const env = { DATABASE_URL: await emptyDatabase(), DATABASE_DIRECT_URL: await emptyDatabase() };
  expect((await runAccountHere(['list'], { env })).remarks).toContain('which is another one');
});
