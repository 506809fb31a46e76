import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runCheck } from '../../../server/cli/check/check.ts';
import { certificateAdvice, routeFault } from '../../../server/cli/check/streamCheck.ts';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { ownVersion } from '../../../server/config/installation.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { throughDroppingProxy } from '../../support/droppingProxy.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { provideRole } from '../database/testRole.ts';
import { startAccountProcess } from './runAccount.ts';

const STREAM_TIMES = { firstAudioTimeoutMs: 10_000, listenMs: 30, askAgainAfterMs: 0 };
const AUDIO = 'audio/mpeg';
const PLAYLIST = 'application/vnd.apple.mpegurl';
const NOBODY = 'postgresql://nobody@127.0.0.1:1/audio';

const given = new Set<string>();

const USUAL = {
  newToken: () => `token-${given.size}`,
  page: (_request: IncomingMessage, response: ServerResponse) => {
    const token = media.newToken();
    given.add(token);
    response.setHeader('content-type', 'text/html').end(`<a href="${streamBaseUrl}${token}">`);
  },
  stream: (request: IncomingMessage, response: ServerResponse) =>
    given.has(request.url?.split('?sign=')[1] ?? '')
      ? void response.writeHead(200, { 'content-type': AUDIO }).write('audio')
      : void response.writeHead(403).end(),
};
const media: { newToken: () => string; page: RequestListener; stream: RequestListener } = { ...USUAL };
const server = createServer((request, response) =>
  request.url?.replace('http://media.example', '').startsWith('/stream')
    ? media.stream(request, response)
    : media.page(request, response),
);

const withAge =
  (page: RequestListener): RequestListener =>
  (request, response) =>
    page(request, response.setHeader('age', '900'));
const answering =
  (status: number, body = '', type = 'text/html'): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

let database: TestDatabase;
let origin: string;
let streamBaseUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  streamBaseUrl = `${origin}/stream?sign=`;
});
afterEach(() => void Object.assign(media, USUAL));
afterAll(async () => {
  await database.drop();
  server.close();
  server.closeAllConnections();
});

const production = () => ({
  NODE_ENV: 'production',
  DATABASE_URL: database.url,
  JWT_SECRET: 'x'.repeat(32),
  PROVIDER_TOKEN_URL: `${origin}/audio`,
  STREAM_BASE_URL: streamBaseUrl,
});

/** Returns as `report` the words of each check by its name; they begin with `ok`, `WARN` or `FAILED`. */
async function check(
  env: Record<string, string>,
  {
    clock = () => new Date(),
    signal = new AbortController().signal,
    streamTimes = STREAM_TIMES,
    dotEnv = '',
    root = '/none',
  } = {},
) {
  const output = new PassThrough();
  const exitCode = await runCheck(env, { output, clock, signal, streamTimes, dotEnv, root });
  const said = await text(output.end());
  const report: Record<string, string> = {};
  for (const [, result, name = '', words] of said.matchAll(/^(\w+) (\S+): (.*)$/gm)) {
    report[name] = `${result} ${words}`;
  }
  return { exitCode, report };
}

async function wordsOf(name: string, env: Record<string, string> = {}, options = {}): Promise<string> {
  return (await check({ ...production(), ...env }, options)).report[name] ?? '';
}

test('a server that has everything passes', async () => {
  const { exitCode, report } = await check(production());
  expect(exitCode).toBe(0);
  expect(Object.entries(report).map(([name, words]) => `${name} ${words.split(' ')[0]}`)).toEqual([
    // Its stream is http here.
    'environment WARN',
    'configuration ok',
    'database ok',
    'rights ok',
    'migrations ok',
    'clock ok',
    'provider ok',
    'stream ok',
  ]);
  for (const table of ['token_records', 'audit_lines']) {
    expect(await query(database.url, `SELECT FROM ${table}`)).toEqual([]);
  }
});

test('with nothing set the demo is checked, whose database needs the server', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('DATA_DIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await check({})).toEqual({
    exitCode: 1,
    report: {
      configuration: expect.stringContaining('ok not production: '),
      database: expect.stringContaining(`FAILED the embedded database under ${folder} does not run: start`),
      provider: 'ok it gives a token',
      stream: 'ok it sends audio (audio/mpeg)',
    },
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a wrong configuration ends with 78', async () => {
  const { exitCode, report } = await check({ ...production(), PORT: 'x' });
  expect([exitCode, report]).toMatchObject([78, { configuration: expect.stringMatching(/^FAILED PORT /) }]);
});

test.each([
  ['with every part set', {}, ': set it'],
  ['beside the demo', { JWT_SECRET: '' }, ', so the demo stands in for JWT_SECRET: set them all'],
])('a NODE_ENV other than production is a warning %s', async (_what, env, advice) => {
  const words = await wordsOf('configuration', { NODE_ENV: '', ...env });
  expect(words).toBe(`WARN NODE_ENV is not production${advice}`);
});

test('a signal ends it without a word about what it was trying', async () => {
  const { child, outcome } = startAccountProcess([], production(), 'check');
  media.page = (request, response) => {
    USUAL.page(request, response);
    child.kill('SIGINT');
  };
  expect(await outcome).toEqual({
    exitCode: 130,
    output: expect.stringMatching(/\nok clock: .*\n$/),
    remarks: 'interrupted\n',
  });
});

test.each(['database', 'provider', 'stream'])('a signal ends the wait for a silent %s', async (silent) => {
  const interruption = new AbortController();
  const stop = () => interruption.abort(new Error('interrupted'));
  const socket = createTcpServer(stop).listen(0, '127.0.0.1');
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  const env = silent === 'database' ? { DATABASE_URL: `postgresql://audio@127.0.0.1:${port}/audio` } : {};
  if (silent === 'provider') media.page = stop;
  if (silent === 'stream') media.stream = stop;
  // So no time limit ends it.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = interruption;
  await expect(check({ ...production(), ...env }, { signal })).rejects.toThrow('interrupted');
});

test('a .env that its readers read differently is a warning without its values', async () => {
  const dotEnv = 'PORT=4000\nTRUST_PROXY=1 # canary\nexport SUPPORT_CONTACT=canary\n';
  const words = await wordsOf('.env', {}, { dotEnv });
  expect(words).toMatch(
    /^WARN Node.js, systemd and Docker Compose may read these differently: line 2 \(TRUST_PROXY\), line 3 \(SUPPORT_CONTACT\)\. Write NAME=.* A comment starts with # at the beginning of its line; an empty line holds no blanks\.$/,
  );
  expect(words).not.toContain('canary');
});

const role = provideRole(() => database.url);
const empty = async () => {
  const { url, drop } = await emptyTestDatabase();
  onTestFinished(drop);
  return url;
};

test('the database that does not answer fails', async () => {
  const { exitCode, report } = await check({ ...production(), DATABASE_URL: NOBODY });
  expect(exitCode).toBe(1);
  expect(report.database).toContain('FAILED Nothing listens at the host and port in DATABASE_URL');
  const notTried = 'FAILED not tried, since the database cannot be used';
  expect(report).toMatchObject({ rights: notTried, migrations: notTried, clock: notTried });
});

test('the database whose collation has changed is a warning', async () => {
  const url = new URL(database.url);
  url.pathname = `${url.pathname}_Collated`;
  const name = url.pathname.slice(1);
  // The machine may have no locale whose collation has a version.
  const locale = "LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'es'";
  await query(database.url, `CREATE DATABASE "${name}" ENCODING UTF8 ${locale} TEMPLATE template0`);
  onTestFinished(() => query(database.url, `DROP DATABASE "${name}"`).then(() => undefined));
  const words = () => wordsOf('database', { DATABASE_URL: url.href });
  expect(await words()).toMatch(/^ok /);
  await query(database.url, `UPDATE pg_database SET datcollversion = '0' WHERE datname = '${name}'`);
  expect(await words()).toMatch(
    new RegExp(
      `^WARN .* but the indexes of the database are sorted by version 0 of its collation, and PostgreSQL now sorts by version [\\d.]+: in a quiet hour run REINDEX DATABASE "${name}", then ALTER DATABASE "${name}" REFRESH COLLATION VERSION, in psql connected to it as its owner; if REINDEX stops at duplicates, remove them first$`,
    ),
  );
});

test('a proxy that drops the limit of statements is a warning where it cannot be set later', async () => {
  const words = async () => wordsOf('database', { DATABASE_URL: await throughDroppingProxy(database.url) });
  expect(await words()).toMatch(/^ok /);
  // As a pooler hands out another process of PostgreSQL for each transaction.
  const ask = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent) {
    const other = { rows: [{ pid: randomInt(2 ** 31) }] };
    return String(sent[0]).includes('pg_backend_pid')
      ? Promise.resolve(other)
      : Reflect.apply(ask, this, sent);
  });
  onTestFinished(() => spy.mockRestore());
  expect(await words()).toMatch(/^WARN .* but slow statements are not ended: .* drops statement_timeout /);
});

test('the database that is not in UTF-8 is told once', async () => {
  const url = new URL(database.url);
  url.pathname = `${url.pathname}_latin`;
  const name = url.pathname.slice(1);
  await query(database.url, `CREATE DATABASE ${name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0`);
  onTestFinished(() => query(database.url, `DROP DATABASE ${name}`).then(() => undefined));
  const { report } = await check({ ...production(), DATABASE_URL: url.href });
  expect(report.database).toContain('FAILED The database of DATABASE_URL has server_encoding LATIN1');
  const notTried = 'FAILED not tried, since the database cannot be used';
  expect(report).toMatchObject({ rights: notTried, migrations: notTried });
});

test('the database whose user lacks a right fails', async () => {
  await role.admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`);
  const words = await wordsOf('rights', { DATABASE_URL: role.urlOf(database.url) });
  expect(words).toContain('FAILED The user of DATABASE_URL lacks DELETE, INSERT, UPDATE on ');
});

test('the database whose password hashes another role may read passes with a warning', async () => {
  await role.admin.query(`GRANT SELECT ON accounts TO ${role.name}`);
  expect(await wordsOf('rights')).toContain(
    'WARN its user has the required rights on every table, but other roles',
  );
});

test('the database that is empty passes for its owner', async () => {
  const url = await empty();
  expect(await wordsOf('migrations', { DATABASE_URL: url })).toMatch(/^ok (\d+) of \1 are to be applied/);
  expect(await query(url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

test('the database without the right to make tables fails', async () => {
  const words = await wordsOf('migrations', { DATABASE_URL: role.urlOf(await empty()) });
  expect(words).toContain('FAILED The user of DATABASE_URL may not create tables');
});

test('the database whose clock differs fails', async () => {
  const clock = () => new Date(Date.now() + 401 * 24 * 3_600_000);
  expect(await wordsOf('clock', {}, { clock })).toContain('FAILED the clock of this machine is 401 days');
});

test('the database of DATABASE_DIRECT_URL fails under that name where it is not reached', async () => {
  const words = await wordsOf('migrations', { DATABASE_DIRECT_URL: NOBODY });
  expect(words).toContain('FAILED Nothing listens at the host and port in DATABASE_DIRECT_URL');
});

test('the database of DATABASE_DIRECT_URL fails where it is another one', async () => {
  const words = await wordsOf('migrations', { DATABASE_DIRECT_URL: await empty() });
  expect(words).toContain('FAILED DATABASE_URL leads to the database test_');
});

test.each<[string, RequestListener, string]>([
  ['that refuses us', answering(401), '(status 401): check the credentials'],
  ['whose page has no link', answering(200, '<p>'), '(no usable link in the page): the link must'],
  ['that is not there', ({ socket }) => void socket.destroy(), ': check the host and port'],
  [
    'that redirects',
    (_request, response) =>
      void response.writeHead(302, { location: 'https://user:secret@media.example/new?key=secret' }).end(),
    '(status 302 to https://media.example/new): redirects are not followed, so write the whole address',
  ],
  ['that has a fault', answering(500), 'a fault of its own'],
  ['whose page is elsewhere', answering(404), 'check the path'],
  [
    'whose HTTP is broken',
    ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nserver: x\ny: z\r\n\r\n'),
    '(Missing expected CR after header value)): if PROVIDER_TOKEN_URL has the right host and port, tell the provider these words',
  ],
])('the provider %s fails', async (_what, answer, said) => {
  media.page = answer;
  const { report } = await check(production());
  expect(report.provider).toMatch(/^FAILED it gives no token \(/);
  expect(report.provider).toContain(said);
  expect(report.stream).toBe('FAILED not tried, since there is no token');
});

test.each([
  ['last for another time', 'x&validminutes=5&id=1', 'for 5 minutes'],
  ["are bound to this server's address", 'wcwR9HKskYP6XAcdqy1ATw==&validminutes=20', 'bound to'],
])('the provider whose tokens %s is a warning', async (_what, rest, said) => {
  media.newToken = () => Buffer.from(`server_time=7/4/2025 3:05:09 PM&hash_value=${rest}`).toString('base64');
  expect(await wordsOf('provider')).toContain(`it gives a token, but ${said}`);
});

test.each<[string, Partial<typeof media>, string]>([
  ['come from a cache', { page: withAge(USUAL.page) }, 'its page comes from a cache (Age)'],
  ['are given twice', { newToken: () => 'cached' }, 'the same one twice'],
  [
    'were made minutes ago',
    {
      newToken: () => {
        const madeAt = new Date(Date.now() - 15 * MINUTE_MS).toLocaleString('en-US', { timeZone: 'UTC' });
        const time = madeAt.replace(',', '').replace('\u202f', ' ');
        return Buffer.from(`server_time=${time}&hash_value=x&validminutes=20&id=1`).toString('base64');
      },
    },
    'it was made minutes ago',
  ],
])('the provider whose tokens %s is a warning', async (_what, changes, said) => {
  Object.assign(media, changes);
  const words = await wordsOf('provider');
  expect(words).toMatch(/^WARN it gives a token, but .* Cache-Control: no-store/);
  expect(words).toContain(said);
});

test('provider and stream behind an egress proxy are asked through it, which is told without its credentials', async () => {
  const { port } = new URL(origin);
  // It forwards everything to the provider of this test, whatever the host.
  const elsewhere = {
    PROVIDER_TOKEN_URL: 'http://media.example/audio',
    STREAM_BASE_URL: 'http://media.example/stream?sign=',
  };
  const proxied = { ...elsewhere, http_proxy: `http://user:secret@127.0.0.1:${port}` };
  streamBaseUrl = elsewhere.STREAM_BASE_URL;
  onTestFinished(() => {
    streamBaseUrl = `${origin}/stream?sign=`;
  });
  const { report } = await check({ ...production(), ...proxied });
  const through = `, through the proxy ${origin} (http_proxy)`;
  expect(report.provider).toBe(`ok it gives a token${through}`);
  expect(report.stream).toMatch(
    /^ok it sends audio \(audio\/mpeg\).*, through the proxy http.* \(http_proxy\)$/,
  );
});

test('a failure behind an egress proxy names it', async () => {
  const env = {
    PROVIDER_TOKEN_URL: 'https://media.example/audio',
    HTTPS_PROXY: 'http://user:secret@127.0.0.1:1',
  };
  const words = await wordsOf('provider', env);
  expect(words).toMatch(
    /^FAILED .*ECONNREFUSED.*; asked through the proxy http:\/\/127\.0\.0\.1:1 \(HTTPS_PROXY\): check that it lets this server reach media\.example/,
  );
});

test('the provider whose coding cannot be read fails with its name', async () => {
  media.page = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'zstd' }).end('?');
  expect(await wordsOf('provider')).toMatch(
    /^FAILED it gives no token \(content encoding zstd cannot be read\): .*not compressed/,
  );
});

const readable: RequestListener = (request, response) => {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '');
  USUAL.stream(request, response);
};
const onSecondConnection =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    (request.headers.range === undefined ? USUAL.stream : answer)(request, response);
const withHeaders =
  (headers: Record<string, string>): RequestListener =>
  (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    USUAL.stream(request, response);
  };
const MODIFIED = { 'last-modified': 'Tue, 01 Jan 2019 00:00:00 GMT' };
const looping: RequestListener = ({ url }, response) => void response.writeHead(302, { location: url }).end();
const redirecting: RequestListener = (request, response) => {
  if (request.headers.host?.startsWith('localhost')) return USUAL.stream(request, response);
  const location = `http://localhost:${request.socket.localPort}${request.url}`;
  response.writeHead(302, { location }).end();
};

const toReadable =
  (headersOfRedirect: Record<string, string>, allowed?: string): RequestListener =>
  (request, response) => {
    if (!request.headers.host?.startsWith('localhost')) {
      for (const [name, value] of Object.entries(headersOfRedirect)) response.setHeader(name, value);
      return redirecting(request, response);
    }
    response.setHeader('access-control-allow-origin', allowed ?? request.headers.origin ?? '');
    USUAL.stream(request, response);
  };

test.each<[string, RequestListener, Record<string, string>, string]>([
  [
    'that redirects names the host',
    redirecting,
    {},
    'ok it sends audio (audio/mpeg) after a redirect to localhost:',
  ],
  [
    'that pages may read needs STREAM_CORS',
    readable,
    {},
    'ok it sends audio (audio/mpeg); pages may read it',
  ],
  [
    'that pages may read passes with STREAM_CORS',
    readable,
    { STREAM_CORS: 'on' },
    'ok it sends audio (audio/mpeg)',
  ],
  [
    'that our page may not read fails',
    USUAL.stream,
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example other.example' },
    'FAILED pages may not read it (asked as https://audio.example, it answered no Access-Control-Allow-Origin)',
  ],
  [
    'that our page alone may read passes',
    (request, response) => {
      response.setHeader('access-control-allow-origin', 'https://audio.example');
      USUAL.stream(request, response);
    },
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example' },
    'ok it sends audio (audio/mpeg)',
  ],
  [
    'that one of our pages may not read fails with its name',
    withHeaders({ 'access-control-allow-origin': 'https://audio.example' }),
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example other.example' },
    'FAILED pages may not read it (asked as https://other.example, it answered Access-Control-Allow-Origin https://audio.example)',
  ],
  [
    'that pages may read at its end alone does not need STREAM_CORS',
    toReadable({}),
    {},
    'ok it sends audio (audio/mpeg) after a redirect to localhost:PORT; without STREAM_CORS',
  ],
  [
    'whose redirect pages may not read fails',
    toReadable({}),
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example' },
    'FAILED pages may not read it (asked as https://audio.example, it answered no Access-Control-Allow-Origin)',
  ],
  [
    'that allows our page by name after a second site fails',
    toReadable({ 'access-control-allow-origin': '*' }, 'https://audio.example'),
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example' },
    'FAILED pages may not read it (asked as null, localhost:PORT answered Access-Control-Allow-Origin https://audio.example)',
  ],
  [
    'that allows the origin null after a second site passes',
    toReadable({ 'access-control-allow-origin': '*' }),
    { STREAM_CORS: 'on', PUBLIC_HOST: 'audio.example' },
    'ok it sends audio (audio/mpeg) after a redirect to localhost:PORT',
  ],
  [
    'that pages of another name may read warns where ours is not known',
    (request, response) => {
      response.setHeader('access-control-allow-origin', 'https://audio.example');
      USUAL.stream(request, response);
    },
    { STREAM_CORS: 'on' },
    'is not known (asked as https://page.example, it answered Access-Control-Allow-Origin https://audio.example): set PUBLIC_HOST',
  ],
  ['with a part', onSecondConnection(answering(206, 'au', AUDIO)), {}, 'silence, but it answers a part'],
  ['with a refusal', onSecondConnection(answering(403)), {}, 'but it refuses a second connection'],
  ['that is a playlist', answering(200, '#EXTM3U', PLAYLIST), {}, 'FAILED it answers with a playlist'],
  ['that fails', answering(503), {}, 'FAILED it answers with status 503, a fault of the provider'],
  ['that refuses the token', answering(401), {}, 'FAILED it refuses the token (status 401)'],
  ['that is not there', answering(404), {}, 'FAILED it answers with status 404'],
  ['that is a page', answering(200, '<p>'), {}, 'FAILED it answers with text/html'],
  ['without audio', answering(200, '', AUDIO), {}, 'FAILED it ends without audio'],
  ['that breaks off', ({ socket }) => void socket.resetAndDestroy(), {}, 'cannot be opened (ECONNRESET)'],
  ['that redirects in a loop', looping, {}, 'FAILED it redirects in a loop'],
])('the stream %s', async (_what, answer, env, said) => {
  media.stream = answer;
  const words = await wordsOf('stream', env);
  expect(words.replaceAll(/localhost:\d+/g, 'localhost:PORT')).toContain(said);
});

test('the stream with a user name and password fails, whatever it answers', async () => {
  const words = await wordsOf('stream', { STREAM_BASE_URL: streamBaseUrl.replace('//', '//canary:canary@') });
  expect(words).toMatch(/^FAILED STREAM_BASE_URL holds a user name or password/);
  expect(words).not.toContain('canary');
});

test.each(['audio/aac', 'audio/aacp', 'application/ogg'])('the stream of %s is a warning', async (type) => {
  media.stream = (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).write('audio');
  expect(await wordsOf('stream')).toContain(`it is ${type}, while the commands for ffmpeg`);
});

test('a public name with ñ fails with the form to write, and pages are asked for by that', async () => {
  media.stream = readable;
  const { report } = await check({
    ...production(),
    STREAM_CORS: 'on',
    PUBLIC_HOST: 'señal.example b.example',
  });
  expect(report.PUBLIC_HOST).toMatch(/^FAILED .*: write xn--seal-hqa\.example b\.example$/);
  expect(report.stream).toMatch(/^ok it sends audio/);
});

test.each(['https://audio.example', 'audio.example:443', 'audio.example/', 'a.example,b.example'])(
  'the public name %s fails, since nginx knows names alone',
  async (PUBLIC_HOST) => {
    expect(await wordsOf('PUBLIC_HOST', { PUBLIC_HOST })).toMatch(/^FAILED .*: write names alone/);
  },
);

test('an address of the stream with letters beyond ASCII is a warning with the form to write', async () => {
  const env = { STREAM_BASE_URL: streamBaseUrl.replace('/stream', '/stream/señal–1/ж') };
  const { report } = await check({ ...production(), ...env });
  expect(report.STREAM_BASE_URL).toContain(`: write ${origin}/stream/se%C3%B1al%E2%80%931/%D0%B6?sign=`);
});

test.each<[said: boolean, headers: Record<string, string>]>([
  [true, { 'cache-control': 'public, max-age=3600' }],
  [true, MODIFIED],
  [true, { 'cache-control': 'public' }],
  [true, { expires: 'Fri, 01 Jan 2100 00:00:00 GMT' }],
  [false, {}],
  [false, { ...MODIFIED, 'cache-control': 'no-cache' }],
  [false, { ...MODIFIED, 'cache-control': 'No-Store' }],
  [false, { ...MODIFIED, 'cache-control': 'max-age=0' }],
  [false, { ...MODIFIED, expires: 'Mon, 26 Jul 1997 05:00:00 GMT' }],
  [false, { ...MODIFIED, pragma: 'no-cache' }],
])('that browsers may keep the stream is told: %s for %o', async (said, headers) => {
  media.stream = withHeaders(headers);
  const found = await wordsOf('stream', { STREAM_CORS: 'off' });
  expect(found.includes('browsers may keep what it sends')).toBe(said);
});

// Node's code for a server certificate without the intermediate one, whether or not its root is known.
test('a certificate without the intermediate one is named', () => {
  expect(certificateAdvice('UNABLE_TO_VERIFY_LEAF_SIGNATURE')).toContain('without the intermediate one');
  expect(certificateAdvice('CERT_HAS_EXPIRED')).toBeNull();
});

test('a stream that redirects from https to http is refused, and one that stays with either is not', () => {
  const faultOf = (start: string, end: string) => routeFault(new URL(start), new URL(end));
  expect(faultOf('https://a.example/', 'http://b.example/')).toContain(
    'redirects from https to http (b.example)',
  );
  expect(faultOf('https://a.example/', 'https://b.example/')).toBeNull();
  expect(faultOf('http://a.example/', 'http://b.example/')).toBeNull();
});

test.each([
  ['sends nothing', false],
  ['sends headers alone', true],
])('the stream that %s fails in time', async (_what, hasHeaders) => {
  media.stream = (_request, response) => {
    if (hasHeaders) response.writeHead(200, { 'content-type': AUDIO }).flushHeaders();
  };
  const streamTimes = { ...STREAM_TIMES, firstAudioTimeoutMs: 200 };
  expect(await wordsOf('stream', {}, { streamTimes })).toContain('FAILED no audio within 0.2 s');
});

test('the stream that is cut soon fails', async () => {
  media.stream = answering(200, 'audio', AUDIO);
  const streamTimes = { ...STREAM_TIMES, listenMs: 60_000 };
  expect(await wordsOf('stream', {}, { streamTimes })).toContain('FAILED it ends after 0.0 s');
});

describe('check looks at installed files', () => {
  const UNIT = 'etc/systemd/system/audio@.service';
  const RECORD = 'var/lib/audio-install';
  const VERSION = ownVersion();
  const lookedAt = async (files: Record<string, string>) =>
    (await check(production(), { root: temporaryFolder(files) })).report.files;

  test('that nobody changed', async () => {
    const files = { [UNIT]: 'a', [`${RECORD}/files/${UNIT}`]: 'a', [`${RECORD}/release`]: `${VERSION}\n` };
    expect(await lookedAt(files)).toMatch(/^ok as deploy\/install\.sh/);
    expect(await lookedAt({ ...files, [UNIT]: 'b' })).toBe(
      `WARN these are not as deploy/install.sh installed them: /${UNIT}`,
    );
  });

  test('of another release', async () => {
    expect(await lookedAt({ [UNIT]: 'a' })).toMatch(/^WARN those of an earlier release are installed/);
    expect(await lookedAt({ [`${RECORD}/release`]: '2.0.0\n' })).toMatch(/^WARN those of 2\.0\.0 are/);
  });

  test('and says nothing where there are none', async () => {
    expect(await lookedAt({})).toBeUndefined();
  });
});

const ALARM = '/etc/systemd/system/audio-alarm@.service';
const deployed = (name: string) => readFileSync(path.join(PROJECT_ROOT, 'deploy', name), 'utf8');
const shippedAlarm = deployed('audio-alarm@.service');
const FILLED_IN = 'ExecStart=/usr/bin/mail -s "%i failed" oncall@audio.example\n';

test.each([
  ['as it is shipped', {}],
  ['with a drop-in for something else', { 'other.conf': '[Service]\nTimeoutStartSec=60\n' }],
])('check names an alarm that tells nobody, %s', async (_what, dropIns: Record<string, string>) => {
  const files = Object.entries(dropIns).map(([name, text]) => [`${ALARM}.d/${name}`, text]);
  const root = temporaryFolder({ [ALARM]: shippedAlarm, ...Object.fromEntries(files) });
  const { exitCode, report } = await check(production(), { root });
  expect([exitCode, report.alarm]).toEqual([0, expect.stringContaining(`WARN ${ALARM} tells nobody: `)]);
});

test.each([
  ['in the unit', { [ALARM]: shippedAlarm.replace(/^ExecStart=.*\n/m, FILLED_IN) }],
  [
    'in a drop-in',
    { [ALARM]: shippedAlarm, [`${ALARM}.d/call.conf`]: `[Service]\nExecStart=\n${FILLED_IN}` },
  ],
  ['in a drop-in beside it', { [ALARM]: shippedAlarm, [`${ALARM}.d/call.conf`]: `[Service]\n${FILLED_IN}` }],
])('check is content with an alarm whose command stands %s', async (_where, files) => {
  expect(await wordsOf('alarm', {}, { root: temporaryFolder(files) })).toMatch(/^ok /);
});

const NAMES = { of46: `audio.${'a'.repeat(32)}.example`, of47: `audio.${'a'.repeat(33)}.example` };

test.each([
  [
    'of 47 letters beside other sites',
    NAMES.of47,
    'http {\n    # server_names_hash_bucket_size 64;\n}',
    'WARN',
  ],
  ['of 47 letters with room for it', NAMES.of47, deployed('nginx-main.conf'), ''],
  ['of 46 letters', NAMES.of46, 'http {\n}', ''],
])('check says whether nginx starts with a name %s', async (_what, PUBLIC_HOST, nginxConf, result) => {
  const root = temporaryFolder({ '/etc/nginx/nginx.conf': nginxConf });
  const words = await wordsOf('PUBLIC_HOST', { PUBLIC_HOST }, { root });
  expect(words.split(' ')[0]).toBe(result);
});
