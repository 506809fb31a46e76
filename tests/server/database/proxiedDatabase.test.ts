import pg from 'pg';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';

const PATIENTLY = { timeout: 120_000, interval: 20 };
const UNAVAILABLE = ['DATABASE_UNAVAILABLE'];
const MAX_CONNECTIONS = 10;

type Proxied = {
  app: TestApp;
  proxy: TcpProxy;
  /** A connection past the proxy. */
  direct: pg.Client;
  headers: { authorization: string };
};

async function proxied(
  { onTestFinished }: TestContext,
  timeLimits: Pick<NonNullable<Parameters<typeof startTestApp>[0]>, 'timeLimits' | 'queryTimeoutMs'>,
): Promise<Proxied> {
  const database = await createTestDatabase();
  const direct = new pg.Client({ connectionString: database.url });
  await direct.connect();
  const proxy = await startTcpProxy(direct.port);
  const databaseUrl = Object.assign(new URL(database.url), { port: proxy.port }).href;
  // Signs in without production's time limits, which a busy machine may exceed.
  const before = await startTestApp({ databaseUrl: database.url });
  await before.addAccount(ACCOUNT);
  const headers = await before.bearer();
  await before.close();
  const app = await startTestApp({ databaseUrl, jwtSecret: before.jwtSecret, ...timeLimits });
  onTestFinished(async () => {
    proxy.close();
    await app.close();
    await direct.end();
    await database.drop();
  });
  return { app, proxy, direct, headers };
}

const codesOf = ({ errors }: GraphqlAnswer) => errors?.map((error) => error.extensions.code);

async function count({ direct }: Proxied, query: string): Promise<number> {
  const { rows } = await direct.query(`SELECT (${query})::integer AS count`);
  return rows[0].count;
}

const STATEMENTS_THAT_WAIT = `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE NOT granted AND datname = current_database()`;
const waitingStatements = (there: Proxied) => count(there, STATEMENTS_THAT_WAIT);

test('several dead idle connections cost one failed request', async (context) => {
  const { app, proxy, headers } = await proxied(context, { timeLimits: 'production' });
  const fillPool = async () => {
    const sleep = () => app.prisma.$queryRaw`SELECT 1 FROM pg_sleep(0.2)`;
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, sleep));
    return app.database.connections().idle;
  };
  await expect.poll(fillPool).toBe(MAX_CONNECTIONS);
  proxy.set('silent');
  proxy.set('pass');
  expect(codesOf(await app.graphql(SESSION, { headers }))).toEqual(UNAVAILABLE);
  for (let asked = 0; asked < 2 * MAX_CONNECTIONS; asked++) {
    expect((await app.graphql(SESSION, { headers })).errors).toBeUndefined();
  }
});

const signIn = ({ app }: Proxied) => app.login();
const cutConnection = ({ proxy }: Proxied) => proxy.cut();

describe.concurrent('with a query under way, which waits for a lock', () => {
  const createToken = ({ app, headers }: Proxied) => app.graphql(CREATE_TOKEN, { headers });

  test.for<[string, string, (there: Proxied) => Promise<GraphqlAnswer>, (there: Proxied) => unknown]>([
    ['signing in, the attempt is counted and the lock stays', 'attempts', signIn, () => {}],
    ['signing in, the connection is cut', 'sessions', signIn, cutConnection],
    ['creating a token, the connection is cut', 'token_records', createToken, cutConnection],
  ])('%s: the request leaves nothing half-done', async ([, table, ask, fault], context) => {
    // Long enough to do something to a query that waits.
    const there = await proxied(context, { queryTimeoutMs: 5_000 });
    await there.direct.query(`BEGIN; LOCK TABLE ${table}`);
    const answer = ask(there);
    await vi.waitFor(async () => expect(await waitingStatements(there)).toBe(1), PATIENTLY);
    await fault(there);
    expect(codesOf(await answer)).toEqual(UNAVAILABLE);
    expect((await answer).data).toBeNull();
    await vi.waitFor(async () => expect(await waitingStatements(there)).toBe(0), PATIENTLY);
    await there.direct.query('ROLLBACK');
    // The sign-in before.
    expect(await count(there, 'SELECT count(*) FROM sessions')).toBe(1);
    expect(await count(there, 'SELECT max(failures) FROM attempts')).toBeLessThanOrEqual(1);
    expect(await count(there, 'SELECT count(*) FROM token_records')).toBe(0);
    await vi.waitFor(async () => expect(codesOf(await ask(there))).toBeUndefined(), PATIENTLY);
  });
});

test('a session whose commit got no answer does not stay', async (context) => {
  const there = await proxied(context, { queryTimeoutMs: 5_000 });
  await there.direct.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait();
    SELECT pg_advisory_lock(1)`);
  const answer = signIn(there);
  await vi.waitFor(async () => expect(await waitingStatements(there)).toBe(1), PATIENTLY);
  cutConnection(there);
  await there.direct.query('SELECT pg_advisory_unlock(1)');
  expect(codesOf(await answer)).toEqual(UNAVAILABLE);
  // The sign-in before.
  expect(await count(there, 'SELECT count(*) FROM sessions')).toBe(1);
});
