import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { METHODS, request } from 'node:http';
import path from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/paths.ts';
import { createMetrics } from '../../../server/observing/metrics.ts';
import { serveMetrics } from '../../../server/observing/metricsServer.ts';
import { ownVersion } from '../../../server/observing/version.ts';
import { createAccountKeys, keyHashOf, newKey } from '../../../server/signIn/accountKeys.ts';
import { SIGN_IN_LIMITS } from '../../../server/signIn/signInLimits.ts';
import { createStreamProvider } from '../../../server/streamTokens/provider.ts';
import { OPERATION_CODES } from '../../../shared/errors.ts';
import { buildUnlessFresh, builtClient } from '../../support/build.ts';
import { leaksIn, plainCanary } from '../../support/canaries.ts';
import { freePort } from '../../support/freePort.ts';
import { startProduction } from '../../support/production.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { startTcpProxy } from '../../support/tcpProxy.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN, SESSION, STREAM, startTestApp } from '../../support/testApp.ts';
import { createTestDatabase } from '../../support/testDatabase.ts';
import { answer, answerWith, mediaProvider, resetConnection } from '../streamTokens/mediaProvider.ts';
import { growth, samplesOf } from './prometheusText.ts';

type Listener = Parameters<typeof mediaProvider>[0];

/** The real app with its metrics, asking a media provider that answers each time by the next listener. */
async function startObservedApp({
  listeners = [answer],
  ...options
}: Parameters<typeof startTestApp>[0] & { listeners?: [Listener, ...Listener[]]; timeoutMs?: number } = {}) {
  const metrics = createMetrics();
  const { port, seen } = await mediaProvider(...listeners);
  const provider = createStreamProvider({
    tokenUrl: `http://127.0.0.1:${port}/`,
    authSignParameter: 'wmsAuthSign',
    log: { warn() {} },
    observer: metrics.provider,
    timeoutMs: options.timeoutMs ?? 60_000,
  });
  const app = await startTestApp({ ...options, provider, observer: metrics.requests });
  const accountKeys = createAccountKeys(app.prisma, () => new Date());
  metrics.watch({ database: app.database, provider, accountKeys });
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0, log: { error() {} } });
  onTestFinished(async () => {
    await server.close();
    await app.close();
  });
  const scrape = async () => {
    const response = await fetch(server.address);
    return { ...response, contentType: response.headers.get('content-type'), text: await response.text() };
  };
  const samples = async () => samplesOf((await scrape()).text);
  return {
    app,
    requestsToProvider: () => seen.requests,
    address: server.address,
    scrape,
    samples,
    /** How the counters with these names grow while something is done, once every answer is counted. */
    async grownBy(names: RegExp, work: () => Promise<unknown>): Promise<Record<string, number>> {
      const counted = async () => new Map([...(await samples())].filter(([name]) => names.test(name)));
      const before = await counted();
      await work();
      await settled(app.url, samples);
      return growth(before, await counted());
    },
  };
}

/** A request is counted when its connection is done with it, a moment after its answer came. */
async function settled(url: string, samples: () => Promise<Map<string, number>>) {
  const answered = 'http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}';
  const before = (await samples()).get(answered) ?? 0;
  await fetch(`${url}/healthz`);
  await expect.poll(async () => (await samples()).get(answered)).toBe(before + 1);
}

const operation = (name: string, outcome: string) =>
  `audio_operations_total{operation="${name}",outcome="${outcome}"}`;
const failure = (kind: string) => `audio_provider_failures_total{kind="${kind}"}`;

describe('operations', () => {
  test('every operation starts at 0 with every outcome', async () => {
    const { samples } = await startObservedApp();
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

  test('sign-ins are counted by what came of them', async () => {
    const { app, grownBy } = await startObservedApp({
      signInLimits: {
        ...SIGN_IN_LIMITS,
        account: { maxAttempts: 2, windowMs: 60_000 },
      },
    });
    await app.addAccount(ACCOUNT);
    const work = async () => {
      await app.login();
      await app.login();
      await app.login(ACCOUNT.username, 'corta');
      await app.login('nadie@radio.example');
      for (let attempt = 0; attempt < 5; attempt += 1) await app.login(ACCOUNT.username, 'equivocada');
      await app.graphql('mutation { login(username: 7, password: "secreto-1") { id } }');
    };
    expect(await grownBy(/^audio_operations_total/, work)).toEqual({
      [operation('login', 'success')]: 2,
      [operation('login', 'bad_user_input')]: 1,
      [operation('login', 'invalid_credentials')]: 3,
      [operation('login', 'rate_limited')]: 3,
      [operation('none', 'graphql_validation_failed')]: 1,
    });
  });

  test('operations by key are counted by its name, and by nothing else of it', async () => {
    const { app, grownBy } = await startObservedApp({ listeners: [answer, answerWith('', {}, 404)] });
    const { id: accountId } = await app.addAccount(ACCOUNT);
    const key = newKey('TOOL');
    const expiresAt = new Date(Date.now() + 60_000);
    await app.prisma.accountKey.create({
      data: { accountId, name: 'Emisora', kind: 'TOOL', keyHash: keyHashOf(key), expiresAt },
    });
    const work = async () => {
      for (const sent of [key, key, newKey('TOOL')]) {
        await app.graphql(CREATE_TOKEN, { headers: { authorization: `Bearer ${sent}` } });
      }
    };
    const byKey = (outcome: string) => `audio_key_requests_total{key="Emisora",outcome="${outcome}"}`;
    expect(await grownBy(/^audio_key_requests_total/, work)).toEqual({
      [byKey('success')]: 1,
      [byKey('provider_unavailable')]: 1,
    });
  });

  test('openings of players are counted apart from the tokens made for them', async () => {
    const { app, grownBy } = await startObservedApp();
    const { id: accountId } = await app.addAccount(ACCOUNT);
    const key = newKey('PLAYER');
    const expiresAt = new Date(Date.now() + 60_000);
    await app.prisma.accountKey.create({
      data: { accountId, name: 'Códec', kind: 'PLAYER', keyHash: keyHashOf(key), expiresAt },
    });
    const work = async () => {
      for (const sent of [key, key, key, newKey('PLAYER')]) {
        await fetch(`${app.url}/live/${sent}`, { redirect: 'manual' });
      }
    };
    expect(await grownBy(/^audio_(operations|live_openings|key_requests)_total/, work)).toEqual({
      'audio_live_openings_total{key="Códec"}': 3,
      'audio_key_requests_total{key="Códec",outcome="success"}': 1,
      [operation('live', 'success')]: 1,
      [operation('live', 'unauthenticated')]: 1,
    });
  });

  test('tokens are counted by what came of them, and the provider by what went wrong with it', async () => {
    const { app, grownBy, samples } = await startObservedApp({
      listeners: [
        answer,
        answer,
        answerWith('<a href="/">no token</a>'),
        answerWith('', {}, 404),
        answerWith('', {}, 401),
        answerWith('', {}, 403),
        ...Array.from({ length: 5 }, () => answerWith('', {}, 503)),
      ],
    });
    await app.addAccount(ACCOUNT);
    const headers = await app.bearer();
    const work = async () => {
      await app.graphql(CREATE_TOKEN);
      for (let call = 0; call < 2 + 4 + 5 + 3; call += 1) await app.graphql(CREATE_TOKEN, { headers });
    };
    const state = (name: string) => `audio_provider_breaker_state{state="${name}"}`;
    expect([...(await samples())]).toEqual(
      expect.arrayContaining([
        [state('closed'), 1],
        [state('open'), 0],
        [state('half_open'), 0],
      ]),
    );
    expect(
      await grownBy(
        /^audio_(operations_total|provider_(failures|breaker|request_duration_seconds_count))/,
        work,
      ),
    ).toEqual({
      [operation('createToken', 'success')]: 2,
      [operation('createToken', 'unauthenticated')]: 1,
      [operation('createToken', 'provider_bad_answer')]: 1,
      [operation('createToken', 'provider_unavailable')]: 11,
      [failure('answer')]: 1,
      [failure('status')]: 6,
      [failure('credentials')]: 2,
      [failure('left_alone')]: 3,
      audio_provider_request_duration_seconds_count: 11,
      [state('open')]: 1,
      [state('closed')]: -1,
    });
  });

  test.each([
    ['a connection that breaks', resetConnection, 'connection', 60_000],
    ['silence', () => {}, 'timeout', 100],
  ] as const)('%s is a failure of the provider of its own kind', async (_what, listener, kind, timeoutMs) => {
    const { app, grownBy } = await startObservedApp({ listeners: [listener], timeoutMs });
    await app.addAccount(ACCOUNT);
    const headers = await app.bearer();
    const grown = await grownBy(/^audio_provider_(failures|request_duration_seconds_count)/, () =>
      app.graphql(CREATE_TOKEN, { headers }),
    );
    expect(grown).toEqual({ [failure(kind)]: 1, audio_provider_request_duration_seconds_count: 1 });
  });

  test('those of a caller who did not wait are counted for what they came to', async () => {
    const { app, samples, grownBy, requestsToProvider } = await startObservedApp({
      listeners: [
        async (incoming, response) => {
          await left;
          answer(incoming, response);
        },
      ],
    });
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    await app.addAccount(ACCOUNT);
    const headers = await app.bearer();
    const gone = 'http_request_duration_seconds_count{method="POST",route="/graphql",status="none"}';
    const created = operation('createToken', 'success');
    const grown = await grownBy(/^(audio_operations_total|http_request_duration_seconds_count)/, async () => {
      const caller = new AbortController();
      const asked = app.graphql(CREATE_TOKEN, { headers, signal: caller.signal }).catch(() => {});
      await expect.poll(requestsToProvider).toBe(1);
      caller.abort();
      await asked;
      await expect.poll(async () => (await samples()).get(gone)).toBe(1);
      leave();
      await expect.poll(async () => (await samples()).get(created)).toBe(1);
    });
    expect(grown).toMatchObject({ [created]: 1, [gone]: 1 });
  });

  test('a query for several fields, introspection and what is no operation count as that', async () => {
    const { app, grownBy } = await startObservedApp();
    const work = async () => {
      await app.graphql(SESSION);
      await app.graphql(`{ session { id } other: session { id } __typename }`);
      await app.graphql(`{ session { id } stream { baseUrl } }`);
      await app.graphql(STREAM);
      await app.graphql('{ __typename }');
      await app.graphql('{ nobody }');
      await app.graphql('{');
    };
    expect(await grownBy(/^audio_operation(s_total|_duration_seconds_count)/, work)).toEqual({
      [operation('session', 'success')]: 2,
      [operation('several', 'unauthenticated')]: 1,
      [operation('stream', 'unauthenticated')]: 1,
      [operation('introspection', 'success')]: 1,
      [operation('none', 'graphql_validation_failed')]: 1,
      [operation('none', 'graphql_parse_failed')]: 1,
      'audio_operation_duration_seconds_count{operation="session"}': 2,
      'audio_operation_duration_seconds_count{operation="several"}': 1,
      'audio_operation_duration_seconds_count{operation="stream"}': 1,
      'audio_operation_duration_seconds_count{operation="introspection"}': 1,
      'audio_operation_duration_seconds_count{operation="none"}': 2,
    });
  });

  test('the keys that end within 30 days are counted, while the database answers', async () => {
    const { app, samples } = await startObservedApp();
    const { id: accountId } = await app.addAccount(ACCOUNT);
    await app.prisma.accountKey.createMany({
      data: [-1, 1, 29, 31].map((days) => ({
        accountId,
        name: `in ${days} days`,
        kind: 'TOOL',
        keyHash: keyHashOf(newKey('TOOL')),
        expiresAt: new Date(Date.now() + days * 86_400_000),
      })),
    });
    expect((await samples()).get('audio_keys_ending')).toBe(2);
    await app.database.close();
    expect((await samples()).get('audio_keys_ending')).toBeNaN();
  });

  test('a database that is away shows in every operation, and its pool as it is', async () => {
    const database = await createTestDatabase();
    const url = new URL(database.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const { app, grownBy, samples } = await startObservedApp({ databaseUrl: url.href });
    onTestFinished(async () => {
      proxy.close();
      await database.drop();
    });
    const pool = async () => {
      const now = await samples();
      return ['up', 'connections', 'connections_idle', 'connections_max', 'queries_waiting'].map((name) =>
        now.get(`audio_database_${name}`),
      );
    };
    await app.addAccount(ACCOUNT);
    const headers = await app.bearer();
    // The sign-in asked for several things at once.
    const { total } = app.database.connections();
    expect(total).toBeGreaterThan(0);
    expect(await pool()).toEqual([1, total, total, 10, 0]);

    const locking = new pg.Client({ connectionString: database.url });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE accounts, sessions');
    const waiting = Array.from({ length: 12 }, () => app.graphql(SESSION, { headers }));
    await expect.poll(() => app.database.connections().waiting).toBe(2);
    const full = pool();
    // The count of keys and the ping come last, and wait for a connection.
    await expect.poll(() => app.database.connections().waiting).toBe(4);
    await locking.end();
    expect(await full).toEqual([1, 10, 0, 10, 2]);
    await Promise.all(waiting);

    proxy.refuse();
    const grown = await grownBy(/^audio_(operations_total|database_connections_lost)/, async () => {
      proxy.cut();
      await expect.poll(pool).toEqual([0, 0, 0, 10, 0]);
      await app.login();
      await app.graphql(CREATE_TOKEN, { headers });
      await app.graphql(SESSION, { headers });
    });
    expect(grown).toMatchObject({
      [operation('login', 'database_unavailable')]: 1,
      [operation('createToken', 'database_unavailable')]: 1,
      [operation('session', 'database_unavailable')]: 1,
    });
  });
});

describe('requests', () => {
  test('are counted and timed by method, route and status', async () => {
    const { app, grownBy } = await startObservedApp({ clientFolder: await builtClient() });
    const page = await (await fetch(`${app.url}/`)).text();
    const assets = new Set([...page.matchAll(/\/assets\/[\w.-]+/g)].map(([asset]) => asset));
    expect(assets.size).toBeGreaterThan(1);
    const work = async () => {
      await app.graphql(SESSION);
      await app.graphql(SESSION);
      await fetch(`${app.url}/graphql`, { method: 'PUT' });
      await fetch(`${app.url}/graphql`, { method: 'POST', body: 'x'.repeat(20_000) });
      for (const at of ['/', '/dashboard', '/readyz', '/nobody', '/%zz', ...assets])
        await fetch(`${app.url}${at}`);
    };
    const count = (method: string, route: string, status: number) =>
      `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;
    expect(await grownBy(/^http_request_duration_seconds_count/, work)).toEqual({
      [count('POST', '/graphql', 200)]: 2,
      [count('PUT', '/graphql', 405)]: 1,
      [count('POST', '/graphql', 415)]: 1,
      [count('GET', '/', 200)]: 1,
      [count('GET', '/dashboard', 200)]: 1,
      [count('GET', '/readyz', 200)]: 1,
      [count('GET', '/assets/*', 200)]: assets.size,
      [count('GET', 'unknown', 404)]: 1,
      [count('GET', 'unknown', 400)]: 1,
      [count('GET', '/healthz', 200)]: 1,
    });
  });

  test('make no more labels, whatever callers write', async () => {
    const { app, samples } = await startObservedApp({ clientFolder: await builtClient() });
    const { hostname, port } = new URL(app.url);
    const word = () => `w${Math.random().toString(36).slice(2)}`;
    async function hostileRound() {
      for (const method of METHODS.filter((each) => !['CONNECT', 'QUERY'].includes(each))) {
        const asked = request({ hostname, port, method, path: `/${word()}?${word()}`, agent: false });
        const [response] = await once(asked.end(), 'response');
        response.resume();
        await once(response, 'close');
      }
      for (const at of ['/assets/', '/dashboard/', '/graphql/', '/healthz/', '/%2e%2e/', '/metrics/']) {
        await fetch(`${app.url}${at}${word()}`);
      }
      await app.graphql(`query ${word()} { ${word()}: session { id } }`);
      await app.graphql(`{ ${word()} }`);
      await app.graphql(`mutation { login(username: "${word()}", password: "${word()}") { id } }`);
      await settled(app.url, samples);
    }
    const ours = async () =>
      [...(await samples()).keys()].filter((name) => /^(audio|http)_/.test(name)).toSorted();
    await hostileRound();
    const before = await ours();
    for (let round = 0; round < 3; round += 1) await hostileRound();
    expect(await ours()).toEqual(before);
    expect(before.join('\n')).not.toMatch(/"w[a-z\d]{6,}/);
    expect(before.length).toBeLessThan(400);
  });
});

test('nothing that belongs to somebody is in a scrape, of whatever went well or wrong', async () => {
  const token = plainCanary();
  const secrets: Record<string, string> = {
    username: `${plainCanary()}@x.es`.slice(-32),
    password: plainCanary(),
    company: plainCanary(),
    token,
    pasted: plainCanary(),
    address: '203.0.113.77',
  };
  const { username = '', password = '', company = '', pasted = '', address = '' } = secrets;
  const page = `<a href="https://stream.example/?wmsAuthSign=${token}">listen</a>`;
  const { app, scrape, samples } = await startObservedApp({
    listeners: [answerWith(page), answerWith(pasted, { 'content-type': pasted }), resetConnection],
    trustProxy: 1,
  });
  const account = await app.addAccount({ username, password, company });
  const from = { 'x-forwarded-for': address };
  const { data } = await app.graphql(
    `mutation ${pasted} { login(username: "${username}", password: "${password}") { id jwt } }`,
    { headers: from },
  );
  const { jwt } = { jwt: '', ...(data?.login as object) };
  const headers = { ...from, authorization: `Bearer ${jwt}` };
  for (let call = 0; call < 3; call += 1) await app.graphql(CREATE_TOKEN, { headers });
  await app.login(username, pasted);
  await app.login(pasted, password);
  await app.graphql(`{ ${pasted} }`);
  await fetch(`${app.url}/${pasted}?${pasted}`, { headers: { 'user-agent': pasted } });
  await settled(app.url, samples);
  const { text } = await scrape();
  expect(text).toContain('outcome="provider_bad_answer"');
  expect(leaksIn(text, { ...secrets, jwt, account: account.id })).toEqual([]);
  expect(text).not.toContain('wmsAuthSign');
});

describe('the port of the metrics', () => {
  test('answers GET /metrics in the text format, with the process and its version, and nothing else', async () => {
    const { address, scrape, samples, app } = await startObservedApp();
    const { contentType, text } = await scrape();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of text.split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? ([-+.\de]+|Nan)|)$/);
    }
    const found = await samples();
    expect(found.get(`audio_build_info{version="${ownVersion()}"}`)).toBe(1);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(found.get(name)).toBeGreaterThan(0);
    }
    const { origin } = new URL(address);
    for (const at of ['/', '/graphql', '/metrics/', '/metricsx', '//metrics', '/healthz']) {
      const answer = await fetch(origin + at);
      expect([at, answer.status, await answer.text()]).toEqual([at, 404, '']);
    }
    for (const method of ['POST', 'HEAD', 'DELETE', 'OPTIONS']) {
      expect((await fetch(address, { method })).status).toBe(405);
    }
    expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
  });
});

describe('a process', () => {
  let production: Awaited<ReturnType<typeof startProduction>>;
  const pace = { answerMs: 0 };
  beforeAll(async () => {
    await buildUnlessFresh();
    production = await startProduction(pace);
    return () => production.close();
  });

  test('can be asked for its metrics until all else is closed', async () => {
    pace.answerMs = 1_500;
    const [port, metricsPort] = [await freePort(), await freePort()];
    const server = await production.startInstance(port, { env: { METRICS_PORT: String(metricsPort) } });
    const scrape = () =>
      fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(async (response) =>
        samplesOf(await response.text()),
      );
    await expect.poll(() => server.output).toContain(`"metrics":"http://127.0.0.1:${metricsPort}/metrics"`);
    expect((await scrape()).get(operation('createToken', 'success'))).toBe(0);
    const { path, ...init } = production.requestOf(CREATE_TOKEN);
    const created = fetch(`http://127.0.0.1:${port}${path}`, init);
    await expect.poll(() => production.requestsToProvider).toBe(1);
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
    await expect(scrape()).rejects.toThrow();
  });

  test('counts and logs an account whose sign-ins fail from many networks, by its id, once', async () => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const server = await production.startInstance(port, { env: { METRICS_PORT: String(metricsPort) } });
    const { path, ...init } = production.requestOf(LOGIN);
    const counted = async () => {
      const scrape = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      return samplesOf(await scrape.text()).get('audio_sign_ins_from_many_networks_total');
    };
    const guess = async (address: string) => {
      const headers = { ...init.headers, 'x-forwarded-for': address };
      const body = init.body.replace(ACCOUNT.password, 'adivinanza');
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, body });
      expect(await answer.text()).toContain('"INVALID_CREDENTIALS"');
    };
    // One customer's /48 is one network, however many addresses of it fail.
    for (let last = 0; last < 10; last += 1) await guess(`192.0.2.${last}`);
    expect(await counted()).toBe(0);
    for (let last = 1; last < 4; last += 1) await guess(`2001:db8:0:${last}::1`);
    await guess('192.0.2.99');
    expect(await counted()).toBe(1);
    await stopServer(server, 'SIGINT');
    const warnings = server.output.split('\n').filter((line) => line.includes('fail from many networks'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({ level: 'warn', account: production.accountIds[0] });
    expect(server.output).not.toContain(ACCOUNT.username);
  });

  test('that cannot have METRICS_PORT says so and does not start', async () => {
    const port = await freePort();
    const first = await production.startInstance(await freePort(), { env: { METRICS_PORT: String(port) } });
    const second = production.launchInstance(await freePort(), { env: { METRICS_PORT: String(port) } });
    expect(await once(second, 'exit')).toEqual([1, null]);
    expect(second.output).toBe(
      `Port ${port} is in use: stop what listens there, or choose another with METRICS_PORT.\n`,
    );
    expect(await stopServer(first, 'SIGINT')).toBe(0);
  });
});
