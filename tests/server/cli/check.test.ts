import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runCheck } from '../../../server/cli/check/check.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { provideRole } from '../database/testRole.ts';

const TOKEN = 'a-token';
const STREAM_TIMES = { timeoutMs: 10_000, listenMs: 30 };
const AUDIO = 'audio/mpeg';
const PLAYLIST = 'application/vnd.apple.mpegurl';
const NOBODY = 'postgresql://nobody@127.0.0.1:1/audio';

/** A media provider with its stream, which tests change. */
const USUAL = {
  token: TOKEN,
  page: (_request: IncomingMessage, response: ServerResponse) =>
    void response.setHeader('content-type', 'text/html').end(`<a href="${streamBaseUrl}${media.token}">`),
  stream: (request: IncomingMessage, response: ServerResponse) =>
    request.url?.endsWith(`=${media.token}`)
      ? void response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('audio')
      : void response.writeHead(403).end(),
};
const media: { token: string; page: RequestListener; stream: RequestListener } = { ...USUAL };
const server = createServer((request, response) =>
  request.url?.startsWith('/stream') ? media.stream(request, response) : media.page(request, response),
);

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

/** Checks as in production. The lines of standard output have no name of the database, which differs from run to run. */
async function check(
  env: Record<string, string> = {},
  { clock = () => new Date(), streamTimes = STREAM_TIMES } = {},
) {
  const output = new PassThrough();
  const remarks = new PassThrough();
  const production = { NODE_ENV: 'production', DATABASE_URL: database.url, JWT_SECRET: 'x'.repeat(32) };
  const urls = { PROVIDER_TOKEN_URL: `${origin}/audio`, STREAM_BASE_URL: streamBaseUrl };
  const { signal } = new AbortController();
  const runtime = { output, remarks, clock, signal, streamTimes };
  const exitCode = await runCheck({ ...production, ...urls, ...env }, runtime);
  const [said, remarked] = await Promise.all([text(output.end()), text(remarks.end())]);
  const lines = said
    .replace(/test_\w+ at 127\.0\.0\.1:\d+ answers: PostgreSQL \S+/, 'it answers')
    .split('\n');
  return { exitCode, lines: lines.slice(0, -1), remarks: remarked };
}

/** The media provider's stream is http here, which earns a warning. */
const OK = [
  'ok configuration: production',
  'ok database: it answers',
  'ok rights: its user may work with all tables that there are',
  expect.stringMatching(/^ok migrations: all \d+ are applied$/),
  "ok clock: within a minute of the database's",
  'ok provider: it gives a token',
  'WARN stream: it sends audio (audio/mpeg); without STREAM_CORS the page cannot tell silence, but STREAM_BASE_URL begins with http://, ' +
    'which a page served by https cannot play: ask the provider for its https:// address',
];

/** The lines of a check in which those of these names begin with other words than usual. */
function except(changed: Record<string, string>, exitCode = 1) {
  const names = ['configuration', 'database', 'rights', 'migrations', 'clock', 'provider', 'stream'];
  const lines = OK.map((usual, at) => {
    const other = changed[names[at] ?? ''];
    return other === undefined ? usual : expect.stringContaining(other);
  });
  return { exitCode, lines, remarks: '' };
}

test('a server that has everything passes', async () => {
  expect(await check()).toEqual({ exitCode: 0, lines: OK, remarks: '' });
  for (const table of ['token_records', 'audit_lines']) {
    expect(await query(database.url, `SELECT FROM ${table}`)).toEqual([]);
  }
});

test('with nothing set the demo is checked', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('DATA_DIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const output = new PassThrough();
  const { signal } = new AbortController();
  const runtime = { output, remarks: new PassThrough(), clock: () => new Date(), signal };
  expect(await runCheck({}, { ...runtime, streamTimes: STREAM_TIMES })).toBe(0);
  expect((await text(output.end())).split('\n')).toEqual([
    'ok configuration: not production: the demo stands in for each part that is not set',
    `ok database: there is none under ${folder} yet; the first start makes an embedded one there`,
    'ok provider: it gives a token',
    'ok stream: it sends audio (audio/mpeg)',
    '',
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test('a wrong configuration lists its faults', async () => {
  expect(await check({ PORT: 'x', DATABASE_URL: '' })).toEqual({
    exitCode: 78,
    lines: [
      'FAILED configuration: PORT must be a port number from 0 to 65535',
      'FAILED configuration: DATABASE_URL is required when NODE_ENV is production',
    ],
    remarks: '',
  });
});

test.each([
  ['--help', 0, 'Usage: '],
  ['--hlep', 2, ''],
])('the argument %s ends with %i', async (argument, exitCode, output) => {
  const program = spawn(process.execPath, ['--import', 'tsx', 'server/cli/check/main.ts', argument]);
  const [said, [code]] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  expect([code, said.slice(0, 7)]).toEqual([exitCode, output]);
});

test.each([
  ['with every part set', {}, ': set it'],
  ['beside the demo', { JWT_SECRET: '' }, ', so the demo stands in for JWT_SECRET: set them all'],
])('a NODE_ENV other than production is a warning %s', async (_what, env, advice) => {
  const configuration = `WARN configuration: NODE_ENV is not production${advice}`;
  expect(await check({ NODE_ENV: '', ...env })).toEqual(except({ configuration }, 0));
});

test('a misspelt variable is a warning', async () => {
  const { exitCode, remarks } = await check({ TRUST_PROXYS: '1' });
  expect(exitCode).toBe(0);
  expect(remarks).toBe('warning: Unknown variable TRUST_PROXYS is ignored; did you mean TRUST_PROXY?\n');
});

describe('the database', () => {
  const role = provideRole(() => database.url);

  test('that does not answer fails', async () => {
    const NOT_TRIED = 'not tried, since the database does not answer';
    expect(await check({ DATABASE_URL: NOBODY })).toEqual(
      except({
        database: 'FAILED database: Nothing listens at the host and port in DATABASE_URL: ',
        rights: `FAILED rights: ${NOT_TRIED}`,
        migrations: `FAILED migrations: ${NOT_TRIED}`,
        clock: `FAILED clock: ${NOT_TRIED}`,
      }),
    );
  });

  test('whose user lacks a right fails', async () => {
    await role.admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`);
    const rights = 'FAILED rights: The user of DATABASE_URL lacks DELETE, INSERT, UPDATE on ';
    const migrations = 'ok migrations: all';
    expect(await check({ DATABASE_URL: role.urlOf(database.url) })).toEqual(except({ rights, migrations }));
  });

  test('that is empty passes for its owner', async () => {
    const empty = await emptyTestDatabase();
    onTestFinished(empty.drop);
    const migrations =
      /^ok migrations: (\d+) of \1 are to be applied, by the start of the server or npm run migrate$/;
    const { lines } = await check({ DATABASE_URL: empty.url });
    expect(lines[3]).toMatch(migrations);
    expect(await query(empty.url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  test('without the right to make tables fails', async () => {
    const empty = await emptyTestDatabase();
    onTestFinished(empty.drop);
    const { lines } = await check({ DATABASE_URL: role.urlOf(empty.url) });
    expect(lines[3]).toMatch(/^FAILED migrations: The user of DATABASE_URL may not create tables: /);
  });

  test('whose clock differs fails', async () => {
    const clock = 'FAILED clock: the clock of this machine is 401 days ahead';
    expect(await check({}, { clock: () => new Date(Date.now() + 401 * 24 * 3_600_000) })).toEqual(
      except({ clock }),
    );
  });

  test('of DATABASE_DIRECT_URL fails under that name where it is not reached', async () => {
    const migrations = 'FAILED migrations: Nothing listens at the host and port in DATABASE_DIRECT_URL';
    expect(await check({ DATABASE_DIRECT_URL: NOBODY })).toEqual(except({ migrations }));
  });

  test('of DATABASE_DIRECT_URL fails where it is another one', async () => {
    const other = await emptyTestDatabase();
    onTestFinished(other.drop);
    const migrations = 'FAILED migrations: DATABASE_URL leads to the database test_';
    expect(await check({ DATABASE_DIRECT_URL: other.url })).toEqual(except({ migrations }));
  });
});

describe('the provider', () => {
  test.each<[string, RequestListener, string]>([
    ['that refuses us', answering(401), '(status 401): check the credentials'],
    [
      'whose page has no link',
      answering(200, '<p>Mantenimiento'),
      '(no usable link in the page): the page must',
    ],
    ['that is not there', ({ socket }) => void socket.destroy(), ': check the host and port'],
    ['that redirects', answering(302), 'redirects are not followed'],
    ['that has a fault', answering(500), 'a fault of its own'],
    [
      'whose page is too large',
      answering(200, 'x'.repeat(5_000_000)),
      '(more than 65536 bytes): the page must have 64 kB',
    ],
    ['whose link is in a script', answering(200, '<script><a href="/?sign=x"></script>'), 'not in a script'],
  ])('%s fails', async (_what, answer, said) => {
    media.page = answer;
    const { lines } = await check();
    expect(lines[5]).toMatch(/^FAILED provider: it gives no token \(/);
    expect(lines[5]).toContain(said);
    expect(lines[6]).toBe('FAILED stream: not tried, since there is no token');
  });

  test.each([
    ['last for another time', 'x&validminutes=5&id=1', 'for 5 minutes, while partners are told 20'],
    [
      "are bound to this server's address",
      'wcwR9HKskYP6XAcdqy1ATw==&validminutes=20',
      "bound to this server's IP address",
    ],
  ])('whose tokens %s is a warning', async (_what, rest, said) => {
    media.token = Buffer.from(`server_time=7/4/2025 3:05:09 PM&hash_value=${rest}`).toString('base64');
    expect(await check()).toEqual(except({ provider: `WARN provider: it gives a token, but ${said}` }, 0));
  });
});

describe('the stream', () => {
  test('that redirects names the host that it leads to', async () => {
    media.stream = (request, response) => {
      if (request.headers.host?.startsWith('localhost')) return USUAL.stream(request, response);
      const location = `http://localhost:${request.socket.localPort}${request.url}`;
      response.writeHead(302, { location }).end();
    };
    expect((await check()).lines[6]).toContain(' it sends audio (audio/mpeg) after a redirect to localhost:');
  });

  test('that redirects from https to http fails', async () => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => fetch(url.replace('https:', 'http:'), init));
    onTestFinished(() => void vi.unstubAllGlobals());
    const stream = 'FAILED stream: it redirects from https to http (127.0.0.1:';
    expect(await check({ STREAM_BASE_URL: streamBaseUrl.replace('http:', 'https:') })).toEqual(
      except({ stream }),
    );
  });

  test('that pages may read is said to need STREAM_CORS=on', async () => {
    media.stream = (request, response) => {
      response.setHeader('access-control-allow-origin', request.headers.origin ?? '');
      USUAL.stream(request, response);
    };
    expect((await check()).lines[6]).toMatch(/set STREAM_CORS=on/);
    const stream = 'WARN stream: it sends audio (audio/mpeg), but STREAM_BASE_URL';
    expect(await check({ STREAM_CORS: 'on' })).toEqual(except({ stream }, 0));
  });

  test('that pages may not read fails with STREAM_CORS=on', async () => {
    const stream = 'FAILED stream: pages may not read it';
    expect(await check({ STREAM_CORS: 'on' })).toEqual(except({ stream }));
  });

  test.each([
    ['sends nothing', false],
    ['sends headers alone', true],
  ])('that %s fails in time', async (_what, hasHeaders) => {
    media.stream = (_request, response) => {
      if (hasHeaders) response.writeHead(200, { 'content-type': 'audio/mpeg' }).flushHeaders();
    };
    const { lines } = await check({}, { streamTimes: { ...STREAM_TIMES, timeoutMs: 200 } });
    expect(lines[6]).toContain('FAILED stream: no audio within 0.2 s');
  });

  test.each([
    ['with a part', 206, 'it answers a part (status 206): Safari'],
    ['with a refusal', 403, 'it refuses a second connection with the same token (status 403)'],
  ])('that answers a second connection %s is a warning', async (_what, status, said) => {
    media.stream = (request, response) => {
      const isFirst = request.headers.range === undefined;
      (isFirst ? USUAL.stream : answering(status, 'au', AUDIO))(request, response);
    };
    const { exitCode, lines } = await check();
    expect(exitCode).toBe(0);
    expect(lines[6]).toContain(`cannot tell silence, but ${said}`);
  });

  test('that is cut soon fails', async () => {
    media.stream = answering(200, 'audio', AUDIO);
    const stream = 'FAILED stream: it ends after 0.0 s';
    expect(await check({}, { streamTimes: { ...STREAM_TIMES, listenMs: 60_000 } })).toEqual(
      except({ stream }),
    );
  });

  test.each<[string, RequestListener, string]>([
    ['that is a playlist', answering(200, '#EXTM3U', PLAYLIST), `it answers with a playlist (${PLAYLIST})`],
    ['that fails', answering(503), 'it answers with status 503, a fault of the provider'],
    ['that refuses the token', answering(403), 'it refuses the token (status 403)'],
    ['that refuses the token as unauthorized', answering(401), 'it refuses the token (status 401)'],
    ['that is not there', answering(404), 'it answers with status 404'],
    ['that is a page', answering(200, '<p>'), 'it answers with text/html'],
    ['that ends without audio', answering(200, '', AUDIO), 'it ends without audio'],
    ['that breaks off', ({ socket }) => void socket.resetAndDestroy(), 'it cannot be opened (ECONNRESET)'],
    [
      'that redirects in a circle',
      ({ url }, response) => void response.writeHead(302, { location: url }).end(),
      'it redirects in a circle',
    ],
  ])('%s fails', async (_what, answer, said) => {
    media.stream = answer;
    expect(await check()).toEqual(except({ stream: `FAILED stream: ${said}` }));
  });
});
