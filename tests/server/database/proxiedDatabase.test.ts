import pg from 'pg';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  LOGOUT,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const PATIENTLY = { timeout: 120_000, interval: 20 };
/** Long enough to do something to a query that waits. */
const LONG_QUERIES = { queryTimeoutMs: 5_000 };
const PRODUCTION = { timeLimits: 'production' } as const;
const UNAVAILABLE = ['DATABASE_UNAVAILABLE'];

type Bearer = { authorization: string };

type Proxied = {
  app: TestApp;
  /** Stands between the app and its database. */
  proxy: TcpProxy;
  /** A connection past the proxy. */
  direct: pg.Client;
  headers: Bearer;
  /** The session that signs out. */
  leaving: Bearer;
};

async function proxied(
  { onTestFinished }: TestContext,
  timeLimits: Pick<NonNullable<Parameters<typeof startTestApp>[0]>, 'timeLimits' | 'queryTimeoutMs'> = {},
): Promise<Proxied> {
  const database = await createTestDatabase();
  const direct = new pg.Client({ connectionString: database.url });
  await direct.connect();
  const url = new URL(database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const before = await startTestApp({ databaseUrl: database.url });
  await before.addAccount(ACCOUNT);
  const [headers, leaving] = [await before.bearer(), await before.bearer()];
  await before.close();
  const app = await startTestApp({ databaseUrl: url.href, jwtSecret: before.jwtSecret, ...timeLimits });
  onTestFinished(async () => {
    proxy.close();
    await app.close();
    await direct.end();
    await database.drop();
  });
  return { app, proxy, direct, headers, leaving };
}

const codesOf = ({ errors }: GraphqlAnswer) => errors?.map((error) => error.extensions.code);

const times = <T>(count: number, ask: () => Promise<T>) => Array.from({ length: count }, ask);

/** Expects `DATABASE_UNAVAILABLE` of fifty requests at once, of every operation. */
async function everythingIsUnavailable({ app, headers, leaving }: Proxied): Promise<void> {
  const answers = [
    app.login(),
    app.graphql(LOGOUT, { headers: leaving }),
    ...times(24, () => app.graphql(SESSION, { headers })),
    ...times(24, () => app.graphql(CREATE_TOKEN, { headers })),
  ];
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(200);
    expect(codesOf(answer)).toEqual(UNAVAILABLE);
  }
}

async function signedIn({ app, headers }: Proxied): Promise<unknown> {
  return (await app.graphql(SESSION, { headers })).data?.session ?? null;
}

/** Expects every operation to work again by itself. */
async function recovers(there: Proxied): Promise<void> {
  await vi.waitFor(
    async () => expect(await signedIn(there)).toMatchObject({ company: ACCOUNT.company }),
    PATIENTLY,
  );
  expect((await fetch(`${there.app.url}/readyz`)).status).toBe(200);
  expect((await there.app.graphql(CREATE_TOKEN, { headers: there.headers })).errors).toBeUndefined();
  expect((await there.app.login()).errors).toBeUndefined();
}

/** Opens all connections that the pool may have, and leaves them idle. */
async function fillPool({ app, direct }: Proxied): Promise<void> {
  const others = `SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const open = async () => {
    await Promise.all(times(10, () => app.prisma.$queryRaw`SELECT 1 FROM pg_sleep(0.2)`));
    return count(direct, others);
  };
  await expect.poll(open).toBe(10);
}

/** Counts the app's statements that wait for a lock. A transaction sees the first state of `pg_stat_activity` until it ends. */
async function waitingStatements(direct: pg.Client): Promise<number> {
  const { rowCount } = await direct.query(
    'SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted AND datname = current_database()',
  );
  return rowCount ?? 0;
}

async function count(direct: pg.Client, query: string): Promise<number> {
  const { rows } = await direct.query(`SELECT (${query})::integer AS count`);
  return rows[0].count;
}

describe('with the network between app and database', () => {
  test('silent, fifty requests at once are told, and all recovers', async (context) => {
    const there = await proxied(context, PRODUCTION);
    await fillPool(there);
    there.proxy.set('silent');
    await everythingIsUnavailable(there);
    there.proxy.set('pass');
    await recovers(there);
  });

  test('several dead idle connections cost one failed request, not one each', async (context) => {
    const there = await proxied(context, PRODUCTION);
    await fillPool(there);
    there.proxy.set('silent');
    there.proxy.set('pass');
    expect(codesOf(await there.app.graphql(SESSION, { headers: there.headers }))).toEqual(UNAVAILABLE);
    for (let asked = 0; asked < 20; asked++) expect(await signedIn(there)).not.toBeNull();
  });
});

describe.concurrent('with a query under way, which waits for a lock', () => {
  const signIn = ({ app }: Proxied) => app.login();
  const createToken = ({ app, headers }: Proxied) => app.graphql(CREATE_TOKEN, { headers });
  const cutConnection = ({ proxy }: Proxied) => proxy.cut();

  test.for<
    [
      string,
      'attempts' | 'sessions' | 'token_records',
      (there: Proxied) => Promise<GraphqlAnswer>,
      (there: Proxied) => unknown,
    ]
  >([
    ['signing in, the attempt is counted and the lock stays', 'attempts', signIn, () => {}],
    ['signing in, the connection is cut', 'sessions', signIn, cutConnection],
    ['creating a token, the connection is cut', 'token_records', createToken, cutConnection],
  ])('%s: the request is answered and leaves nothing half-done', async ([, table, ask, fault], context) => {
    const there = await proxied(context, LONG_QUERIES);
    const { direct } = there;
    const sessions = await count(direct, 'SELECT count(*) FROM sessions');
    await direct.query(`BEGIN; LOCK TABLE ${table}`);
    const answer = ask(there);
    await vi.waitFor(async () => expect(await waitingStatements(direct)).toBe(1), PATIENTLY);
    await fault(there);
    expect(codesOf(await answer)).toEqual(UNAVAILABLE);
    expect((await answer).data).toBeNull();
    await vi.waitFor(async () => expect(await waitingStatements(direct)).toBe(0), PATIENTLY);
    await direct.query('ROLLBACK');
    expect(await count(direct, 'SELECT count(*) FROM sessions')).toBe(sessions);
    expect(await count(direct, 'SELECT max(points) FROM attempts')).toBeLessThanOrEqual(1);
    expect(await count(direct, 'SELECT count(*) FROM token_records')).toBe(0);
    await recovers(there);
  });
});
