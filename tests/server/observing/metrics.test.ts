import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema } from 'graphql';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ownVersion } from '../../../server/config/installation.ts';
import { readSchema } from '../../../server/graphql/apolloServer.ts';
import { createMetrics, type Metrics } from '../../../server/observing/metrics.ts';
import { createMetricsServer } from '../../../server/observing/metricsServer.ts';
import { createStreamProvider } from '../../../server/streamTokens/streamProvider.ts';
import { OPERATION_CODES } from '../../../shared/errorCodes.ts';
import { samplesOf } from '../../support/samples.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp } from '../../support/testApp.ts';
import { answer, answerWith, mediaProvider, resetConnection } from '../streamTokens/mediaProvider.ts';

const NO_LOG = { error() {}, warn() {} };

let metrics: Metrics;

beforeEach(() => {
  metrics = createMetrics();
});

const samples = async () => samplesOf((await metrics.collect()).text);

async function grownBy(names: RegExp, work: () => unknown): Promise<Record<string, number>> {
  const selected = async () => new Map([...(await samples())].filter(([name]) => names.test(name)));
  const before = await selected();
  await work();
  const grown = [...(await selected())].map(([name, value]) => [name, value - (before.get(name) ?? 0)]);
  return Object.fromEntries(grown.filter(([, by]) => by !== 0));
}

const operation = (name: string, outcome: string) =>
  `audio_operations_total{operation="${name}",outcome="${outcome}"}`;
const tokenFaults = (fault: string) => `audio_provider_token_faults_total{fault="${fault}"}`;
const failure = (kind: string) => `audio_provider_failures_total{kind="${kind}"}`;
const answered = (method: string, route: string, status: string) =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test('operations start at 0 with every outcome', async () => {
  const schema = buildSchema(readSchema());
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  const codes = new Set([...OPERATION_CODES, ...Object.values(ApolloServerErrorCode)]);
  const expected = [...Object.keys(fields), 'live', 'several', 'introspection', 'none'].flatMap((name) =>
    ['success', ...codes].map((outcome) => [operation(name, outcome.toLowerCase()), 0]),
  );
  const counted = [...(await samples())].filter(([name]) => name.startsWith('audio_operations_total'));
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
});

test.each([
  [['session', '__typename'], 'session'],
  [['session', 'stream'], 'several'],
  [['keys', 'serverTime'], 'keys'],
  [['serverTime'], 'serverTime'],
  [['__typename'], 'introspection'],
  [[], 'none'],
])('operations of the fields %j count as %s', async (fields, name) => {
  const names = /^audio_operation(s_total|_duration_seconds_(count|sum))/;
  const work = () => metrics.requests.onOperation({ fields, code: null, key: null, durationMs: 20 });
  expect(await grownBy(names, work)).toEqual({
    [operation(name, 'success')]: 1,
    [`audio_operation_duration_seconds_count{operation="${name}"}`]: 1,
    [`audio_operation_duration_seconds_sum{operation="${name}"}`]: 0.02,
  });
});

test('the provider’s failures and tokens’ faults start at 0', async () => {
  expect((await samples()).get(failure('queue_full'))).toBe(0);
  expect((await samples()).get(tokenFaults('address'))).toBe(0);
});

test('tokens that may not play are counted by why', async () => {
  const work = () => metrics.provider.onTokenFault('lifetime');
  expect(await grownBy(/^audio_provider_token_faults_total/, work)).toEqual({ [tokenFaults('lifetime')]: 1 });
});

test.each([
  ['POST', '/graphql'],
  ['GET', '/live/*'],
])('refusals of %s %s by the queue of networks start at 0', async (method, route) => {
  expect((await samples()).get(answered(method, route, '429'))).toBe(0);
});

test.each([
  ['GET', '/assets/main-abc123.js', 200, answered('GET', '/assets/*', '200')],
  ['PROPFIND', undefined, 404, answered('other', 'unknown', '404')],
  ['POST', '/graphql', null, answered('POST', '/graphql', 'none')],
])('%s %s answered with %s is counted', async (method, route, status, name) => {
  const work = () => metrics.requests.onAnswer({ method, route, status, durationMs: 20 });
  expect(await grownBy(/^http_request_duration_seconds_count/, work)).toEqual({ [name]: 1 });
});

test('gauges are read at each scrape', async () => {
  let isUp = true;
  const up = async () => {
    if (!isUp) throw new Error('away');
  };
  metrics.watch({
    database: { connections: () => ({ total: 3, idle: 1, max: 10, waiting: 2 }), ping: up },
    provider: { breakerState: () => 'half_open' },
    keySessions: {
      countEnding: () => up().then(() => 4),
      listNames: () => up().then(() => [{ account: 'uno', key: 'monitor' }]),
    },
    clock: () => new Date(1_800_000_000_000),
    accounts: { countEnding: () => up().then(() => 5) },
    clockDifferenceMs: () => up().then(() => -7_200_000),
  });
  const figures = {
    audio_database_connections: 3,
    audio_database_connections_idle: 1,
    audio_database_connections_max: 10,
    audio_database_queries_waiting: 2,
    'audio_provider_breaker_state{state="open"}': 0,
    'audio_provider_breaker_state{state="half_open"}': 1,
    audio_keys_ending: 4,
    audio_accounts_ending: 5,
    audio_clock_difference_seconds: -7_200,
    audio_time_seconds: 1_800_000_000,
    // So that the first success of a key is an increase.
    'audio_key_requests_total{account="uno",key="monitor",outcome="success"}': 0,
    audio_database_up: 1,
  };
  expect(Object.fromEntries(await samples())).toMatchObject(figures);
  isUp = false;
  expect(Object.fromEntries(await samples())).toMatchObject({
    ...figures,
    audio_keys_ending: Number.NaN,
    audio_accounts_ending: Number.NaN,
    audio_clock_difference_seconds: Number.NaN,
    audio_database_up: 0,
  });
});

test('the time of the last complete pruning is a gauge', async () => {
  const name = 'audio_pruned_timestamp_seconds';
  expect((await samples()).get(name)).toBe(0);
  const now = Date.now() / 1_000;
  metrics.onPruned();
  expect((await samples()).get(name)).toBeGreaterThanOrEqual(now);
});

test('the app counts what its callers do', async () => {
  const { port } = await mediaProvider(
    answer,
    answerWith('<a href="/">no token</a>'),
    resetConnection,
    resetConnection,
    answer,
  );
  const provider = createStreamProvider({
    tokenUrl: `http://127.0.0.1:${port}/`,
    authSignParameter: 'wmsAuthSign',
    log: NO_LOG,
    observer: metrics.provider,
    timeoutMs: 60_000,
  });
  const app = await startTestApp({ provider, observer: metrics.requests });
  onTestFinished(() => app.close());
  await app.addAccount({ ...ACCOUNT, id: 'uno' });
  const authorization = `Bearer ${await app.addKey()}`;
  const player = await app.addKey({ name: 'Códec', kind: 'PLAYER' });

  const names =
    /^audio_(operations_total|key_requests|live|provider_(failures|request_duration_seconds_count))|^http_request_duration_seconds_count/;
  const work = async () => {
    await app.login();
    await app.login(ACCOUNT.username, 'equivocada');
    await app.graphql('{ nobody }');
    for (let call = 0; call < 3; call += 1) await app.graphql(CREATE_TOKEN, { headers: { authorization } });
    for (let opening = 0; opening < 2; opening += 1) {
      await fetch(`${app.url}/live/${player}`, { redirect: 'manual' });
    }
    // An answer is counted a moment after it came.
    await expect.poll(async () => (await samples()).get(answered('GET', '/live/*', '302'))).toBe(2);
  };
  expect(await grownBy(names, work)).toEqual({
    [operation('login', 'success')]: 1,
    [operation('login', 'invalid_credentials')]: 1,
    [operation('none', 'graphql_validation_failed')]: 1,
    [operation('createToken', 'success')]: 1,
    [operation('createToken', 'provider_bad_answer')]: 1,
    [operation('createToken', 'provider_unavailable')]: 1,
    [operation('live', 'success')]: 1,
    'audio_key_requests_total{account="uno",key="Emisora",outcome="success"}': 1,
    'audio_key_requests_total{account="uno",key="Emisora",outcome="provider_bad_answer"}': 1,
    'audio_key_requests_total{account="uno",key="Emisora",outcome="provider_unavailable"}': 1,
    'audio_key_requests_total{account="uno",key="Códec",outcome="success"}': 1,
    'audio_live_openings_total{account="uno",key="Códec"}': 2,
    [failure('answer')]: 1,
    [failure('connection')]: 1,
    audio_provider_request_duration_seconds_count: 4,
    [answered('POST', '/graphql', '200')]: 5,
    [answered('POST', '/graphql', '400')]: 1,
    [answered('GET', '/live/*', '302')]: 2,
  });
});

const at = { host: '127.0.0.1', port: 0, log: NO_LOG };

test('the port of the metrics answers only GET /metrics', async () => {
  const { listen, close } = createMetricsServer(metrics, at);
  const address = await listen();
  onTestFinished(close);
  const response = await fetch(address);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(samplesOf(await response.text()).get(`audio_build_info{version="${ownVersion()}"}`)).toBe(1);
  expect((await fetch(`${address}x`)).status).toBe(404);
  const posted = await fetch(address, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
});

test('the port of the metrics answers 500 when the figures cannot be collected', async () => {
  const logged: unknown[] = [];
  const collect = () => Promise.reject(new Error('boom'));
  const log = { error: (fields: unknown) => logged.push(fields) };
  const { listen, close } = createMetricsServer({ collect }, { ...at, log });
  const address = await listen();
  onTestFinished(close);
  expect((await fetch(address)).status).toBe(500);
  expect(logged).toMatchObject([{ err: { message: 'boom' } }]);
});
