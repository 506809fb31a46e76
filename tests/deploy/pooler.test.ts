import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { requireSameDatabase } from '../../server/database/connection.ts';
import { openDatabase } from '../../server/database/database.ts';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { startAccountProcess } from '../server/cli/runAccount.ts';
import { freePort } from '../support/freePort.ts';
import { query } from '../support/query.ts';
import { BUILT, becomesReady, launchServer, stopServer } from '../support/serverProcess.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, SESSION, startTestApp } from '../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase } from '../support/testDatabase.ts';
import { startPgbouncer } from './pgbouncer.ts';

vi.setConfig({ testTimeout: 60_000 });

const POOL_SIZE = 3;
const LIMITS_OF_TIME = [
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'lock_timeout',
  'statement_timeout',
  'transaction_timeout',
];
const SMALL_POOL = { 'default_pool_size = 20': `default_pool_size = ${POOL_SIZE}` };

async function database(create = createTestDatabase): Promise<string> {
  const { url, drop } = await create();
  onTestFinished(drop);
  return url;
}

async function twoInstances() {
  const directUrl = await database();
  const databaseUrl = await startPgbouncer(directUrl, SMALL_POOL);
  const jwtSecret = randomBytes(32).toString('hex');
  const start = async () => {
    const app = await startTestApp({ databaseUrl, jwtSecret, timeLimits: 'production' });
    onTestFinished(app.close);
    // Connecting many at once is not under test, and machines may be busy.
    await app.database.warmUp();
    return app;
  };
  const [first, second] = [await start(), await start()];
  await first.addAccount(ACCOUNT);
  return { first, second, directUrl };
}

const times = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

describe('behind PgBouncer in transaction mode', () => {
  test('two instances share sessions over a few connections', async () => {
    const { first, second, directUrl } = await twoInstances();
    const sessions = await times(4, () => first.signIn());
    for (let round = 0; round < 8; round += 1) {
      await times(8, async (index) => {
        const headers = { authorization: `Bearer ${sessions[index % sessions.length]?.jwt}` };
        const { data, text } = await (index % 2 === 0 ? first : second).graphql(CREATE_TOKEN, { headers });
        expect(data?.createToken, text).toMatchObject({ company: ACCOUNT.company });
      });
    }
    const others =
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    expect((await query(directUrl, others)).length).toBeLessThanOrEqual(POOL_SIZE);

    const [{ jwt } = { jwt: '' }] = sessions;
    const headers = { authorization: `Bearer ${jwt}` };
    expect((await first.graphql(LOGOUT, { headers })).data).toEqual({ logout: true });
    expect((await second.graphql(SESSION, { headers })).data).toEqual({ session: null });
  });

  test('every connection has the same limits of time as without PgBouncer', async () => {
    const directUrl = await database();
    const name = new URL(directUrl).pathname.slice(1);
    for (const limit of LIMITS_OF_TIME)
      await query(directUrl, `ALTER DATABASE ${name} SET ${limit} = '20min'`);
    const databaseUrl = await startPgbouncer(directUrl, SMALL_POOL);
    const limits = await Promise.all(
      [databaseUrl, directUrl].map(async (url) => {
        const { prisma, close } = openDatabase(url);
        onTestFinished(close);
        return times(
          POOL_SIZE,
          () => prisma.$queryRaw<object[]>`
            SELECT name, current_setting(name) AS limit FROM pg_settings, pg_sleep(0.1)
            WHERE name = ANY (${LIMITS_OF_TIME}) ORDER BY 1`,
        );
      }),
    );
    expect(limits[0]?.flat()).toHaveLength(POOL_SIZE * LIMITS_OF_TIME.length);
    expect(limits[0]).toEqual(limits[1]);
    expect(JSON.stringify(limits)).not.toContain('20min');
  });

  test('a server and an account command use DATABASE_DIRECT_URL', async () => {
    const directUrl = await database(emptyTestDatabase);
    const env = { DATABASE_URL: await startPgbouncer(directUrl), DATABASE_DIRECT_URL: directUrl };
    const JWT_SECRET = randomBytes(32).toString('hex');
    const port = await freePort();
    const server = launchServer(BUILT, { ...env, JWT_SECRET, PORT: String(port) });
    onTestFinished(async () => void (await stopServer(server, 'SIGKILL')));
    await becomesReady(server, port);
    expect(await stopServer(server, 'SIGTERM')).toBe(0);
    expect(server.output).not.toContain('statement_timeout');
    expect(await startAccountProcess(['list'], env).outcome).toMatchObject({
      exitCode: 0,
      remarks: expect.stringMatching(/^in the database test_\w+ at .* \(DATABASE_DIRECT_URL\)\n$/),
    });
  });
});

const CONNECT_QUERY = /connect_query='.*'$/m.exec(
  readFileSync(path.join(PROJECT_ROOT, 'deploy/pgbouncer.ini'), 'utf8'),
)?.[0];

/** Makes a database whose settings differ from what the server relies on. */
async function foreignDatabase(isolation: string): Promise<string> {
  const url = await database(emptyTestDatabase);
  const alter = `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET`;
  await query(url, `${alter} TimeZone = 'America/Santiago'; ${alter} DateStyle = 'SQL, DMY'`);
  await query(url, `${alter} default_transaction_isolation = '${isolation}'`);
  return url;
}

test.each([
  ['as shipped', 'serializable', {}],
  [
    'as it was shipped before, with one limit alone',
    'read committed',
    { [String(CONNECT_QUERY)]: "connect_query='SET statement_timeout = 1100'" },
  ],
])('what a database is set to is not noticed behind a PgBouncer %s', async (_which, isolation, changes) => {
  const directUrl = await foreignDatabase(isolation);
  await applyMigrations(directUrl);
  const app = await startTestApp({
    databaseUrl: await startPgbouncer(directUrl, { ...SMALL_POOL, ...changes }),
  });
  onTestFinished(app.close);
  await app.database.warmUp();
  await app.addAccount(ACCOUNT);
  const headers = await app.bearer();
  const asked = Date.now();
  const create = async () => expect((await app.graphql(CREATE_TOKEN, { headers })).errors).toBeUndefined();
  // As many at once as an account may.
  for (let round = 0; round < 2; round += 1) await times(4, create);
  const records = await app.prisma.tokenRecord.findMany();
  for (const { createdAt } of records) expect(createdAt.getTime()).toBeGreaterThanOrEqual(asked);
  expect(records).toHaveLength(8);
});

test('a PgBouncer that renames a database is seen through', async () => {
  const [named, behind] = [await database(), await database()];
  const [name, nameBehind] = [named, behind].map((url) => new URL(url).pathname.slice(1));
  const url = await startPgbouncer(named, { [`dbname=${name}`]: `dbname=${nameBehind}` });
  await requireSameDatabase(url, behind);
  await expect(requireSameDatabase(url, named)).rejects.toThrow(
    `DATABASE_URL leads to the database ${nameBehind} at ${new URL(url).host}, but DATABASE_DIRECT_URL to ${name} at`,
  );
});

test('no migration is applied through a PgBouncer that ignores the lock timeout', async () => {
  const url = await startPgbouncer(await database(emptyTestDatabase), {
    'ignore_startup_parameters = ': 'ignore_startup_parameters = lock_timeout,',
  });
  await expect(applyMigrations(url)).rejects.toThrow('name PostgreSQL itself by DATABASE_DIRECT_URL');
});

test('a PgBouncer that loses the limit of statements is reported, and its other clients get none', async () => {
  const directUrl = await database();
  const databaseUrl = await startPgbouncer(directUrl, {
    ...SMALL_POOL,
    'SET statement_timeout = 1100; ': '',
  });
  const onWarning = vi.fn();
  const { warmUp, close } = openDatabase(databaseUrl, { onWarning });
  onTestFinished(close);
  await warmUp();
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('drops statement_timeout'));
  const ask = () =>
    query(databaseUrl, `SELECT current_setting('statement_timeout') AS limit, pg_sleep(0.1)::text`);
  expect(JSON.stringify(await times(POOL_SIZE, ask))).not.toContain('1100ms');
});
