import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../server/database/database.ts';
import { applyMigrations } from '../../server/database/migrate.ts';
import { requireSameDatabase } from '../../server/database/sameDatabase.ts';
import { startFailure } from '../../server/startFailure.ts';
import { runAccountProcess } from '../server/cli/accountProgram.ts';
import { freePort } from '../support/freePort.ts';
import { BUILT, becomesReady, launchServer, stopServer } from '../support/serverProcess.ts';
import { startTcpProxy } from '../support/tcpProxy.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  LOGOUT,
  SESSION,
  startTestApp,
} from '../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase } from '../support/testDatabase.ts';
import { startPgbouncer } from './pgbouncer.ts';

vi.setConfig({ testTimeout: 60_000 });

const ANSWER_LIMIT_MS = 3_000;
const RECOVERY_LIMIT_MS = 2_000;
const POOL_SIZE = 3;
const SMALL_POOL = { 'default_pool_size = 20': `default_pool_size = ${POOL_SIZE}` };
const NO_LIMIT = { " connect_query='SET statement_timeout = 1100'": '' };

type PoolerOptions = Parameters<typeof startPgbouncer>[1];

async function poolerOn(databaseUrl: string, options?: PoolerOptions): Promise<string> {
  const pooler = await startPgbouncer(databaseUrl, options);
  onTestFinished(pooler.close);
  return pooler.url;
}

async function database(create = createTestDatabase): Promise<string> {
  const { url, drop } = await create();
  onTestFinished(drop);
  return url;
}

/** Starts instances that share their secret and, through the pooler, their database. */
async function instances(count: number, options?: PoolerOptions) {
  const directUrl = await database();
  const databaseUrl = await poolerOn(directUrl, options);
  const jwtSecret = randomBytes(32).toString('hex');
  const apps = [];
  while (apps.length < count) {
    const app = await startTestApp({ databaseUrl, jwtSecret, timeLimits: 'production' });
    onTestFinished(app.close);
    // Connecting many at once is not under test, and machines may be busy.
    await app.database.warmUp();
    apps.push(app);
  }
  const [first] = apps;
  if (first === undefined) throw new Error('No instance was asked for');
  await first.addAccount(ACCOUNT);
  return { apps, first, last: apps.at(-1) ?? first, directUrl, databaseUrl };
}

const codesOf = ({ errors }: GraphqlAnswer) => errors?.map((error) => error.extensions.code);
const times = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const begunAt = performance.now();
  const given = await answer;
  expect(performance.now() - begunAt).toBeLessThan(ANSWER_LIMIT_MS);
  return given;
}

describe('behind PgBouncer in transaction mode', () => {
  test('two instances sign in, create tokens at once and sign out over a few connections', async () => {
    const { first, last, directUrl } = await instances(2, { changes: SMALL_POOL });
    const sessions = await times(4, () => first.signIn());
    for (let round = 0; round < 8; round += 1) {
      await times(8, async (index) => {
        const headers = { authorization: `Bearer ${sessions[index % sessions.length]?.jwt}` };
        const { data, text } = await (index % 2 === 0 ? first : last).graphql(CREATE_TOKEN, { headers });
        expect(data?.createToken, text).toMatchObject({ company: ACCOUNT.company });
      });
    }
    const direct = new pg.Client({ connectionString: directUrl });
    await direct.connect();
    const { rowCount } = await direct.query(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await direct.end();
    expect(rowCount).toBeLessThanOrEqual(POOL_SIZE);

    const [{ jwt } = { jwt: '' }] = sessions;
    const headers = { authorization: `Bearer ${jwt}` };
    expect((await first.graphql(LOGOUT, { headers })).data).toEqual({ logout: true });
    expect((await last.graphql(SESSION, { headers })).data).toEqual({ session: null });
  });

  test('PostgreSQL ends a slow statement on every connection as early as without PgBouncer', async () => {
    const { databaseUrl, directUrl } = await instances(1, { changes: SMALL_POOL });
    const limits = await Promise.all(
      [databaseUrl, directUrl].map(async (url) => {
        const { prisma, close } = openDatabase(url);
        onTestFinished(close);
        const shown = await times(
          POOL_SIZE,
          () =>
            prisma.$queryRaw<[{ limit: string }]>`
            SELECT current_setting('statement_timeout') AS limit FROM pg_sleep(0.1)`,
        );
        return shown.map(([{ limit }]) => limit);
      }),
    );
    expect(limits[0]).toEqual(limits[1]);
    const { prisma, close } = openDatabase(databaseUrl);
    onTestFinished(close);
    await expect(inTime(prisma.$queryRaw`SELECT FROM pg_sleep(20)`)).rejects.toThrow('57014');
  });

  test('with PostgreSQL silent, requests are answered in time, and work again when it is back', async () => {
    const directUrl = await database();
    const proxy = await startTcpProxy(Number(new URL(directUrl).port));
    onTestFinished(proxy.close);
    const databaseUrl = await poolerOn(directUrl, { port: proxy.port });
    const app = await startTestApp({ databaseUrl, timeLimits: 'production' });
    onTestFinished(app.close);
    await app.addAccount(ACCOUNT);
    const headers = await app.bearer();
    proxy.set('silent');
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all([
        inTime(app.login()),
        ...Array.from({ length: 8 }, () => inTime(app.graphql(CREATE_TOKEN, { headers }))),
      ]);
      for (const answer of answers) expect(codesOf(answer)).toEqual(['DATABASE_UNAVAILABLE']);
      expect((await inTime(fetch(`${app.url}/readyz`))).status).toBe(503);
    }
    proxy.set('pass');
    await expect
      .poll(async () => codesOf(await app.graphql(CREATE_TOKEN, { headers })), { timeout: RECOVERY_LIMIT_MS })
      .toBeUndefined();
  });

  test('a server and an account command use DATABASE_DIRECT_URL to migrate without PgBouncer', async () => {
    const directUrl = await database(emptyTestDatabase);
    const env = { DATABASE_URL: await poolerOn(directUrl), DATABASE_DIRECT_URL: directUrl };
    const JWT_SECRET = randomBytes(32).toString('hex');
    const port = await freePort();
    const server = launchServer(BUILT, { ...env, JWT_SECRET, PORT: String(port) });
    onTestFinished(async () => void (await stopServer(server, 'SIGKILL')));
    await becomesReady(server, port);
    expect(await stopServer(server, 'SIGTERM')).toBe(0);
    expect(server.output).not.toContain('slow statements');
    expect(await runAccountProcess(['list'], { env })).toMatchObject({
      exitCode: 0,
      remarks: expect.stringMatching(/^in the database test_\w+ at .* \(DATABASE_DIRECT_URL\)\n$/),
    });
  });
});

test('a PgBouncer that gives a database the name of another one is seen through', async () => {
  const [named, behind] = [await database(), await database()];
  const [name, nameBehind] = [named, behind].map((url) => new URL(url).pathname.slice(1));
  const url = await poolerOn(named, { changes: { [`dbname=${name}`]: `dbname=${nameBehind}` } });
  await requireSameDatabase(url, behind);
  await expect(requireSameDatabase(url, named)).rejects.toThrow(
    `DATABASE_URL leads to the database ${nameBehind} at ${new URL(url).host}, but DATABASE_DIRECT_URL to ${name} at`,
  );
});

describe('behind PgBouncer without DATABASE_DIRECT_URL', () => {
  test('no migration is applied, and the operator is told why', async () => {
    const url = await poolerOn(await database(emptyTestDatabase));
    const error: unknown = await applyMigrations(url).catch((reason: unknown) => reason);
    expect(startFailure(error)).toBe(
      'A pooler stands before PostgreSQL and refuses how we connect: set it up as in deploy/pgbouncer.ini, ' +
        'and name PostgreSQL itself by DATABASE_DIRECT_URL.',
    );
  });

  test('no migration is applied either if PgBouncer ignores the connection’s lock timeout', async () => {
    const url = await poolerOn(await database(emptyTestDatabase), {
      changes: { 'ignore_startup_parameters = ': 'ignore_startup_parameters = lock_timeout,' },
    });
    await expect(applyMigrations(url)).rejects.toThrow('name PostgreSQL itself by DATABASE_DIRECT_URL');
  });
});

test('a server warns about a pooler that drops the statement timeout, and not about one that keeps it', async () => {
  const directUrl = await database();
  for (const [changes, told] of [
    [{}, 0],
    [NO_LIMIT, 1],
  ] as const) {
    const onUnlimited = vi.fn();
    const { warmUp, close } = openDatabase(await poolerOn(directUrl, { changes }), { onUnlimited });
    await warmUp();
    await close();
    expect(onUnlimited).toHaveBeenCalledTimes(told);
  }
});
