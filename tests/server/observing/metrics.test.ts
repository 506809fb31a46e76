import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { createMetrics, type Metrics } from '../../../server/observing/metrics.ts';
import { serveMetrics } from '../../../server/observing/metricsServer.ts';
import { ownVersion } from '../../../server/observing/version.ts';
import { createAccountKeys, keyHashOf, newKey } from '../../../server/signIn/accountKeys.ts';
import { createStreamProvider } from '../../../server/streamTokens/provider.ts';
import { OPERATION_CODES } from '../../../shared/errors.ts';
import { buildUnlessFresh } from '../../support/build.ts';
import { freePort } from '../../support/freePort.ts';
import { startProduction } from '../../support/production.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp } from '../../support/testApp.ts';
import { answer, answerWith, mediaProvider, resetConnection } from '../streamTokens/mediaProvider.ts';
import { growth, samplesOf } from './prometheusText.ts';

const NO_LOG = { error() {}, warn() {} };

let metrics: Metrics;

beforeEach(() => {
  metrics = createMetrics();
});

const samples = async () => samplesOf((await metrics.collect()).text);

/** How the samples with these names grow while something is done. */
async function grownBy(names: RegExp, work: () => unknown): Promise<Record<string, number>> {
  const selected = async () => new Map([...(await samples())].filter(([name]) => names.test(name)));
  const before = await selected();
  await work();
  return growth(before, await selected());
}

const operation = (name: string, outcome: string) =>
  `audio_operations_total{operation="${name}",outcome="${outcome}"}`;
const failure = (kind: string) => `audio_provider_failures_total{kind="${kind}"}`;
const answered = (method: string, route: string, status: string) =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

describe('operations', () => {
  const onOperation = (fields: string[], code: string | null = null, key: string | null = null) =>
    metrics.requests.onOperation({ fields, code, key, durationMs: 20 });

  test('start at 0 with every outcome', async () => {
    const { Query, Mutation } = buildSchema(
      readFileSync(path.join(PROJECT_ROOT, 'schema.graphql'), 'utf8'),
    ).getTypeMap() as Record<string, GraphQLObjectType>;
    const operations = [Query, Mutation].flatMap((type) => Object.keys(type?.getFields() ?? {}));
    const codes = new Set([...OPERATION_CODES, ...Object.values(ApolloServerErrorCode)]);
    const expected = [...operations, 'live', 'several', 'introspection', 'none'].flatMap((name) =>
      ['success', ...codes].map((outcome) => [operation(name, outcome.toLowerCase()), 0]),
    );
    const counted = [...(await samples())].filter(([name]) => name.startsWith('audio_operations_total'));
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
  });

  test.each([
    [['session', '__typename'], 'session'],
    [['session', 'stream'], 'several'],
    [['__typename'], 'introspection'],
    [[], 'none'],
  ])('of the fields %j count as %s', async (fields, name) => {
    expect(
      await grownBy(/^audio_operation(s_total|_duration_seconds_(count|sum))/, () => onOperation(fields)),
    ).toEqual({
      [operation(name, 'success')]: 1,
      [`audio_operation_duration_seconds_count{operation="${name}"}`]: 1,
      [`audio_operation_duration_seconds_sum{operation="${name}"}`]: 0.02,
    });
  });

  test('of a key are counted by its name and outcome too', async () => {
    const work = () => onOperation(['createToken'], 'RATE_LIMITED', 'Emisora');
    expect(await grownBy(/^audio_(operations|key_requests)_total/, work)).toEqual({
      [operation('createToken', 'rate_limited')]: 1,
      'audio_key_requests_total{key="Emisora",outcome="rate_limited"}': 1,
    });
  });

  test('of players are counted by openings', async () => {
    expect(await grownBy(/^audio_live/, () => metrics.requests.onOpening('Códec'))).toEqual({
      'audio_live_openings_total{key="Códec"}': 1,
    });
  });
});

test.each([
  ['POST', '/graphql', 200, answered('POST', '/graphql', '200')],
  ['GET', '/assets/main-abc123.js', 200, answered('GET', '/assets/*', '200')],
  ['PROPFIND', undefined, 404, answered('other', 'unknown', '404')],
  ['POST', '/graphql', null, answered('POST', '/graphql', 'none')],
])('%s %s answered with %s is counted', async (method, route, status, name) => {
  const work = () => metrics.requests.onAnswer({ method, route, status, durationMs: 20 });
  expect(await grownBy(/^http_request_duration_seconds_count/, work)).toEqual({ [name]: 1 });
});

test('the provider is counted by its failures and times', async () => {
  const work = () => {
    metrics.provider.onAsked(20);
    metrics.provider.onFailure('left_alone');
  };
  expect(await grownBy(/^audio_provider_(failures|request_duration_seconds_count)/, work)).toEqual({
    [failure('left_alone')]: 1,
    audio_provider_request_duration_seconds_count: 1,
  });
  expect((await samples()).get(failure('queue_full'))).toBe(0);
});

test('broken connections and guessing are counted', async () => {
  const work = () => {
    metrics.onConnectionLost();
    metrics.onManyNetworks();
  };
  expect(await grownBy(/^audio_/, work)).toEqual({
    audio_database_connections_lost_total: 1,
    audio_sign_ins_from_many_networks_total: 1,
  });
});

test('the pool, the breaker and the keys are read at each scrape', async () => {
  let isUp = true;
  const up = async () => {
    if (!isUp) throw new Error('away');
  };
  metrics.watch({
    database: { connections: () => ({ total: 3, idle: 1, max: 10, waiting: 2 }), ping: up },
    provider: { breakerState: () => 'half_open' },
    accountKeys: { countEnding: () => up().then(() => 4) },
  });
  const watched = async () =>
    Object.fromEntries(
      [...(await samples())].filter(([name]) => /^audio_(database|keys|provider_breaker)/.test(name)),
    );
  const figures = {
    audio_database_connections: 3,
    audio_database_connections_idle: 1,
    audio_database_connections_max: 10,
    audio_database_queries_waiting: 2,
    audio_database_connections_lost_total: 0,
    'audio_provider_breaker_state{state="closed"}': 0,
    'audio_provider_breaker_state{state="open"}': 0,
    'audio_provider_breaker_state{state="half_open"}': 1,
  };
  expect(await watched()).toEqual({ ...figures, audio_keys_ending: 4, audio_database_up: 1 });
  isUp = false;
  expect(await watched()).toEqual({ ...figures, audio_keys_ending: Number.NaN, audio_database_up: 0 });
});

test('the app counts what its callers, keys and provider do', async () => {
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
  const { id: accountId } = await app.addAccount(ACCOUNT);
  const addKey = async (kind: 'TOOL' | 'PLAYER', name: string, days: number) => {
    const key = newKey(kind);
    const expiresAt = new Date(Date.now() + days * 86_400_000);
    await app.prisma.accountKey.create({
      data: { accountId, name, kind, keyHash: keyHashOf(key), expiresAt },
    });
    return key;
  };
  const authorization = `Bearer ${await addKey('TOOL', 'Emisora', 1)}`;
  const player = await addKey('PLAYER', 'Códec', 29);
  await addKey('TOOL', 'later', 31);
  await addKey('TOOL', 'over', -1);
  expect(await createAccountKeys(app.prisma, () => new Date()).countEnding()).toBe(2);

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
    'audio_key_requests_total{key="Emisora",outcome="success"}': 1,
    'audio_key_requests_total{key="Emisora",outcome="provider_bad_answer"}': 1,
    'audio_key_requests_total{key="Emisora",outcome="provider_unavailable"}': 1,
    'audio_key_requests_total{key="Códec",outcome="success"}': 1,
    'audio_live_openings_total{key="Códec"}': 2,
    [failure('answer')]: 1,
    [failure('connection')]: 1,
    audio_provider_request_duration_seconds_count: 4,
    [answered('POST', '/graphql', '200')]: 5,
    [answered('POST', '/graphql', '400')]: 1,
    [answered('GET', '/live/*', '302')]: 2,
  });
});

describe('the port of the metrics', () => {
  const at = { host: '127.0.0.1', port: 0, log: NO_LOG };

  test('answers GET /metrics in the text format, and nothing else', async () => {
    const { address, close } = await serveMetrics(metrics, at);
    onTestFinished(close);
    const response = await fetch(address);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const found = samplesOf(await response.text());
    expect(found.get(`audio_build_info{version="${ownVersion()}"}`)).toBe(1);
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect((await fetch(`${address}x`)).status).toBe(404);
    const posted = await fetch(address, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('answers 500 when the figures cannot be collected, and logs why', async () => {
    const logged: unknown[] = [];
    const collect = () => Promise.reject(new Error('boom'));
    const log = { error: (fields: unknown) => logged.push(fields) };
    const { address, close } = await serveMetrics({ collect }, { ...at, log });
    onTestFinished(close);
    expect((await fetch(address)).status).toBe(500);
    expect(logged).toMatchObject([{ err: { message: 'boom' } }]);
  });

  test('that is in use is reported by its variable', async () => {
    const { address, close } = await serveMetrics(metrics, at);
    onTestFinished(close);
    const port = Number(new URL(address).port);
    await expect(serveMetrics(metrics, { ...at, port })).rejects.toThrow(
      `Port ${port} is in use: stop what listens there, or choose another with METRICS_PORT.`,
    );
  });

  test('of an IPv6 address stands in brackets', async () => {
    const { address, close } = await serveMetrics(metrics, { ...at, host: '::1' });
    onTestFinished(close);
    expect(address).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
  });
});

describe('a process', () => {
  const pace = { answerMs: 1_500 };
  let production: Awaited<ReturnType<typeof startProduction>>;

  beforeAll(async () => {
    await buildUnlessFresh();
    production = await startProduction(pace);
    return () => production.close();
  });

  test('serves its metrics until all else is closed', async () => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const server = await production.startInstance(port, { env: { METRICS_PORT: String(metricsPort) } });
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    const scrape = async () => samplesOf(await (await fetch(metricsUrl)).text());
    await expect.poll(() => server.output).toContain(`"metrics":"${metricsUrl}"`);
    const { path: at, ...init } = production.requestOf(CREATE_TOKEN);
    const created = fetch(`http://127.0.0.1:${port}${at}`, init);
    await expect.poll(() => production.requestsToProvider).toBe(1);
    const exited = once(server, 'exit');
    const stopped = stopServer(server, 'SIGTERM');
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          () => 'accepted',
          () => 'refused',
        ),
      )
      .toBe('refused');
    expect((await scrape()).get(operation('createToken', 'success'))).toBe(0);
    expect((await created).status).toBe(200);
    expect(await stopped).toBe(0);
    await exited;
  });
});
