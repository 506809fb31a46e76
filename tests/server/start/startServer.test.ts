import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { MIGRATION_LOCK_KEY } from '../../../server/database/migrations/migrations.ts';
import { OperatorError } from '../../../server/errors.ts';
import { createLog } from '../../../server/observing/log.ts';
import { createMetrics } from '../../../server/observing/metrics.ts';
import { MAX_FAILING_NETWORKS } from '../../../server/signIn/guessingAlarm.ts';
import { hashPassword } from '../../../server/signIn/password.ts';
import { createSessions } from '../../../server/signIn/sessions.ts';
import { jwtSecrets } from '../../../server/signIn/signedJwt.ts';
import { databaseWarnings } from '../../../server/start/startServer.ts';
import { egressProxy } from '../../support/egressProxy.ts';
import { freePort } from '../../support/freePort.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { query } from '../../support/query.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { startServerHere } from '../../support/startedServer.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN } from '../../support/testApp.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  return database.drop;
});

async function addAccount(passwordHash: string) {
  const { prisma, close } = openPatientDatabase(database.url);
  onTestFinished(close);
  const { username, company } = ACCOUNT;
  return { prisma, account: await prisma.account.create({ data: { username, company, passwordHash } }) };
}

test('a start names each migration that it applied', async () => {
  const empty = await emptyTestDatabase();
  onTestFinished(empty.drop);
  const { logLines, close } = await startServerHere(empty.url, {
    env: { NODE_ENV: 'production' },
    level: 'warn',
  });
  onTestFinished(close);
  const applied = logLines.map((line) => JSON.parse(line)).filter(({ migration }) => migration !== undefined);
  expect(applied.map(({ level, migration }) => `${level} ${migration}`)).toEqual(
    readdirSync('prisma/migrations')
      .filter((name) => /^\d/.test(name))
      .sort()
      .map((name) => `info ${name}`),
  );
});

test('a start warns once of a password in the address of the stream', async () => {
  const STREAM_BASE_URL = 'https://user:canary@stream.example/live?sign=';
  const { logLines, close } = await startServerHere(database.url, {
    env: { STREAM_BASE_URL },
    level: 'warn',
  });
  onTestFinished(close);
  expect(logLines.filter((line) => line.includes('STREAM_BASE_URL holds a user name'))).toHaveLength(1);
  expect(logLines.join('')).not.toContain('canary');
});

test('a start reports guesses from many networks', async () => {
  const { account } = await addAccount(await hashPassword('otra'));
  const METRICS_PORT = String(await freePort());
  const env = { TRUST_PROXY: '1', METRICS_PORT };
  const { address, logLines, close } = await startServerHere(database.url, { env });
  onTestFinished(close);
  for (let network = 0; network <= MAX_FAILING_NETWORKS; network += 1) {
    await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${network}` },
      body: JSON.stringify({ query: LOGIN, variables: ACCOUNT }),
    });
  }
  expect(logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ account: account.id, msg: 'sign-ins to one account fail from many networks' }),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  expect(metrics).toContain('audio_sign_ins_from_many_networks_total 1\n');
});

test('a start accepts sessions of JWT_SECRET_PREVIOUS and counts the provider’s failures', async () => {
  const { prisma, account } = await addAccount('');
  const JWT_SECRET_PREVIOUS = 'the old secret, of 32 bytes or more';
  const { jwt } = await createSessions(prisma, jwtSecrets(JWT_SECRET_PREVIOUS), () => new Date()).start(
    account,
  );
  const METRICS_PORT = String(await freePort());
  const { address, close } = await startServerHere(database.url, {
    env: { METRICS_PORT, JWT_SECRET_PREVIOUS },
  });
  onTestFinished(close);
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${jwt}`, connection: 'close' },
    body: JSON.stringify({ query: CREATE_TOKEN }),
  });
  expect(await response.text()).toContain('PROVIDER_UNAVAILABLE');
  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  expect(metrics).toMatch(/^audio_provider_failures_total\{kind="\w+"\} 1$/m);
});

test('a start logs the proxy by which it asks the provider, and uses it', async () => {
  await addAccount(await hashPassword(ACCOUNT.password));
  const proxy = await egressProxy();
  const secret = proxy.address.replace('//', '//user:secret@');
  const env = { PROVIDER_TOKEN_URL: 'http://media.invalid/audio', http_proxy: secret };
  const { address, logLines, close } = await startServerHere(database.url, { env });
  onTestFinished(close);
  const post = async (query: string, variables: object, headers = {}) => {
    const body = JSON.stringify({ query, variables });
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    return (await fetch(`${address}/graphql`, init)).json();
  };
  const { data } = await post(LOGIN, ACCOUNT);
  await post(CREATE_TOKEN, {}, { authorization: `Bearer ${data.login.jwt}` });
  expect(proxy.asked.at(0)).toMatch(/^GET http:\/\/media\.invalid\/audio Basic /);
  expect(logLines.map((line) => JSON.parse(line).msg)).toContain(
    `the media provider is asked through the proxy ${proxy.address} (http_proxy)`,
  );
});

test('a shutdown while another instance migrates ends the start', async () => {
  const empty = await emptyTestDatabase();
  onTestFinished(empty.drop);
  const other = new pg.Client({ connectionString: empty.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
  const shutdown = new AbortController();
  const starting = startServerHere(empty.url, { signal: shutdown.signal });
  const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND locktype = 'advisory' AND datname = current_database()`;
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  shutdown.abort(new OperatorError('The test shuts it down'));
  expect(await starting).toMatchObject({ address: '', failure: 'The test shuts it down' });
  // PostgreSQL notices that the waiting client has gone once it gives it the lock.
  await other.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK_KEY]);
  const connected = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await other.query(connected)).rowCount).toBe(0);
  expect(await query(empty.url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

test.each([
  ['its database', 1],
  ['all but its port', 4],
])('a start that is to end once %s is open does not go on', async (_what, last) => {
  const shutdown = new AbortController();
  const onOpened = vi.fn(() => {
    if (onOpened.mock.calls.length === last) shutdown.abort(new OperatorError('The test shuts it down'));
  });
  const { failure, close } = await startServerHere(database.url, { signal: shutdown.signal, onOpened });
  await close();
  expect(failure).toBe('The test shuts it down');
  expect(onOpened).toHaveBeenCalledTimes(last);
});

test('SIGINT closes idle connections at once', async () => {
  const { address, lifetime } = await startServerHere(database.url);
  await (await fetch(`${address}/healthz`)).text();
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  const stoppedAt = Date.now();
  const closed = lifetime.close('SIGINT');
  vi.advanceTimersToNextTimer();
  const waitedMs = Date.now() - stoppedAt;
  vi.useRealTimers();
  await closed;
  expect(waitedMs).toBeLessThan(10);
});

test('after SIGTERM a request is cut off within 8 s', async () => {
  const { address, lifetime, logLines } = await startServerHere(database.url);
  const head =
    'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
  const { socket, answer } = await sendRaw(address, `${head}Expect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const closed = lifetime.close('SIGTERM');
  vi.advanceTimersByTime(8_000);
  vi.useRealTimers();
  await closed;
  expect(await answer).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  expect(logLines.join()).toContain('requests that took too long were cut off');
});

test.each(['PORT', 'METRICS_PORT'])(
  'a port in use ends the start with a message that names %s',
  async (name) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const { failure, close } = await startServerHere(database.url, { env: { [name]: port } });
    await close();
    expect(failure).toBe(`Port ${port} is in use: stop what listens there, or choose another with ${name}.`);
  },
);

test.each([
  ['a host that is not of this machine', { HOST: '999.1.1.1' }, '', 'HOST is 999.1.1.1'],
  ['a file for a data folder', { DATABASE_URL: '' }, '/etc/passwd', 'at /etc/passwd. Check DATA_DIR'],
])('%s ends the start with a plain message', async (_what, env, dataFolder, said) => {
  vi.stubEnv('DATA_DIR', dataFolder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { failure, close } = await startServerHere(database.url, { env });
  await close();
  expect(failure).toContain(said);
  expect(failure).not.toMatch(/^\s+at /m);
});

function createTestLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'warn', output: { write: (line) => lines.push(line) } }) };
}

test('a broken connection to the database is logged and counted', async () => {
  const metrics = createMetrics();
  const { log, lines } = createTestLog();
  const error = Object.assign(new Error('read'), { syscall: 'read', code: 'ECONNRESET' });
  databaseWarnings(log, metrics).onConnectionLost?.(error);
  expect(JSON.parse(lines.join())).toMatchObject({
    reason: 'ECONNRESET',
    msg: 'a database connection was lost',
  });
  expect((await metrics.collect()).text).toContain('audio_database_connections_lost_total 1');
});
