import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { runCheck } from '../../../server/cli/check/check.ts';
import { leaksIn, plainCanary } from '../../support/canaries.ts';
import { query } from '../../support/query.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { createTestDatabase, emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const DAY_MS = 24 * 3_600_000;
const ROLE = plainCanary();
const SECRETS = {
  role: ROLE,
  'database password': plainCanary(),
  JWT_SECRET: plainCanary().repeat(2),
  token: plainCanary(),
  'provider key': plainCanary(),
  'stream key': plainCanary(),
};
const NO_DATABASE = 'not tried, since the database does not answer';

let database: TestDatabase;
let admin: pg.Client;
let media: Awaited<ReturnType<typeof startMedia>>;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${SECRETS['database password']}'`);
  media = await startMedia();
});
beforeEach(() =>
  admin.query(`
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE};
    GRANT SELECT ON _prisma_migrations TO ${ROLE}`),
);
afterEach(async () => {
  media.page = media.usualPage;
  media.stream = media.usualStream;
  media.accepted = SECRETS.token;
  await admin.query(`ALTER ROLE ${ROLE} RESET ALL; DROP OWNED BY ${ROLE}`);
});
afterAll(async () => {
  await admin.query(`DROP ROLE ${ROLE}`);
  await admin.end();
  await database.drop();
  media.close();
});

/** A media provider with its stream, both of which a test may replace. */
async function startMedia() {
  const server = createServer((request, response) => {
    const isStream = request.url?.startsWith('/stream') ?? false;
    if (isStream) media.connections += 1;
    response.on('close', () => {
      if (isStream) media.connections -= 1;
    });
    if (isStream && !request.url?.endsWith(`=${media.accepted}`)) response.writeHead(403).end();
    else if (isStream) media.stream(response, request);
    else media.page(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const STREAM_BASE_URL = `${origin}/stream?key=${SECRETS['stream key']}&sign=`;
  const usualPage = (response: ServerResponse) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<a href="${STREAM_BASE_URL}${SECRETS.token}">`);
  const usualStream = (response: ServerResponse, _request: IncomingMessage) =>
    void response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('audio');
  return {
    env: { PROVIDER_TOKEN_URL: `${origin}/audio?key=${SECRETS['provider key']}`, STREAM_BASE_URL },
    usualPage,
    usualStream,
    page: usualPage,
    stream: usualStream,
    accepted: SECRETS.token,
    connections: 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const withRole = (url: string) =>
  Object.assign(new URL(url), { username: ROLE, password: SECRETS['database password'] }).href;

/** Checks as in production. The lines of standard output have no name of the database, which differs from run to run. */
async function check(env: Record<string, string> = {}, clock = () => new Date()) {
  const output = new PassThrough();
  const remarks = new PassThrough();
  const exitCode = await runCheck(
    {
      NODE_ENV: 'production',
      DATABASE_URL: withRole(database.url),
      JWT_SECRET: SECRETS.JWT_SECRET,
      ...media.env,
      ...env,
    },
    { output, remarks, clock, signal: new AbortController().signal },
  );
  const [said, remarked] = await Promise.all([text(output.end()), text(remarks.end())]);
  expect(leaksIn(said + remarked, SECRETS)).toEqual([]);
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
  'WARN stream: it sends audio (audio/mpeg), but STREAM_BASE_URL begins with http://, ' +
    'which a page served by https cannot play: ask the provider for its https:// address',
];

/** The lines of a check in which some are others than usual. */
function except(changed: Record<string, unknown>) {
  const names = ['configuration', 'database', 'rights', 'migrations', 'clock', 'provider', 'stream'];
  return { exitCode: 1, lines: OK.map((usual, at) => changed[names[at] ?? ''] ?? usual), remarks: '' };
}

test('a server that has everything passes, and nothing of ours is changed', async () => {
  const dump = async () => {
    const tables = await query(
      database.url,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    return Promise.all(
      tables.map(({ name }) => query(database.url, `SELECT '${name}' AS of, * FROM ${name}`)),
    );
  };
  const before = await dump();
  expect(await check()).toEqual({ exitCode: 0, lines: OK, remarks: '' });
  expect(await dump()).toEqual(before);
  await expect.poll(() => media.connections).toBe(0);
});

test('with nothing set the demo is checked, without making its database', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('DATA_DIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const unset = {
    NODE_ENV: '',
    DATABASE_URL: '',
    JWT_SECRET: '',
    PROVIDER_TOKEN_URL: '',
    STREAM_BASE_URL: '',
  };
  expect(await check(unset)).toEqual({
    exitCode: 0,
    lines: [
      'ok configuration: not production: the demo stands in for each part that is not set',
      `ok database: there is none under ${folder} yet; the first start makes an embedded one there`,
      'ok provider: it gives a token',
      'ok stream: it sends audio (audio/mpeg)',
    ],
    remarks: '',
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a wrong configuration lists all its faults, and nothing is tried', async () => {
  expect(await check({ PORT: 'x', DATABASE_URL: '', STREAM_BASE_URL: SECRETS['stream key'] })).toEqual({
    exitCode: 1,
    lines: [],
    remarks:
      'The configuration is wrong:\n' +
      '  - PORT must be a port number from 0 to 65535\n' +
      '  - STREAM_BASE_URL must be an http:// or https:// address without blanks that ends in the auth-sign parameter and "="\n' +
      '  - DATABASE_URL is required when NODE_ENV is production\n',
  });
});

test.each([
  ['with every part set', {}, 'WARN configuration: NODE_ENV is not production: set it'],
  [
    'beside parts of the demo',
    { JWT_SECRET: '' },
    'WARN configuration: NODE_ENV is not production, so the demo stands in for JWT_SECRET: set them all',
  ],
])('a NODE_ENV other than production, %s, is a warning', async (_what, env, configuration) => {
  expect(await check({ NODE_ENV: '', ...env })).toEqual({ ...except({ configuration }), exitCode: 0 });
});

test('a variable that is nearly one of ours is named, without its value', async () => {
  const warning =
    'warning: TRUST_PROXYS is no variable of this server and has no effect: is it meant to be TRUST_PROXY?\n';
  expect(await check({ TRUST_PROXYS: SECRETS.token })).toEqual({ exitCode: 0, lines: OK, remarks: warning });
});

describe('the database', () => {
  test('that does not answer fails, and with it what needs it', async () => {
    const refused =
      'Nothing listens at the host and port in DATABASE_URL: check them, and that PostgreSQL runs and listens there.';
    expect(await check({ DATABASE_URL: `postgresql://${ROLE}@127.0.0.1:1/audio` })).toEqual(
      except({
        database: `FAILED database: ${refused}`,
        rights: `FAILED rights: ${NO_DATABASE}`,
        migrations: `FAILED migrations: ${NO_DATABASE}`,
        clock: `FAILED clock: ${NO_DATABASE}`,
      }),
    );
  });

  test('that lacks a right is told the GRANT', async () => {
    await admin.query(`REVOKE UPDATE ON sessions FROM ${ROLE}`);
    expect(await check()).toEqual(
      except({
        rights:
          'FAILED rights: The user of DATABASE_URL lacks UPDATE on sessions: make it the owner of the tables, ' +
          'or run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO it.',
      }),
    );
  });

  test('that can only be read fails', async () => {
    await admin.query(`ALTER ROLE ${ROLE} SET default_transaction_read_only = on`);
    expect(await check()).toEqual(
      except({
        rights: expect.stringMatching(
          /^FAILED rights: .* default_transaction_read_only is on: run ALTER ROLE/,
        ),
      }),
    );
  });

  test('that is empty passes for its owner, and stays empty', async () => {
    const empty = await emptyTestDatabase();
    onTestFinished(empty.drop);
    const { exitCode, lines } = await check({ DATABASE_URL: empty.url });
    expect(lines[3]).toMatch(
      /^ok migrations: (\d+) of \1 are to be applied, by the start of the server or npm run migrate$/,
    );
    expect(exitCode).toBe(0);
    expect(await query(empty.url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  test.each<[string, string, string | RegExp]>([
    [
      'without the right to make tables',
      '',
      'FAILED migrations: The user of DATABASE_URL may not create tables: make it the owner of the database, ' +
        'or run GRANT CREATE ON SCHEMA public TO it.',
    ],
    [
      'of something else',
      'CREATE TABLE products (id int)',
      /^FAILED migrations: .* tables of something else, such as products\./,
    ],
  ])('%s fails', async (_what, statement, said) => {
    const empty = await emptyTestDatabase();
    onTestFinished(empty.drop);
    await query(empty.url, statement);
    const migrations = typeof said === 'string' ? said : expect.stringMatching(said);
    expect(await check({ DATABASE_URL: withRole(empty.url) })).toEqual(except({ migrations }));
  });

  test('in which a migration failed says which, and what clears it', async () => {
    const other = await createTestDatabase();
    onTestFinished(other.drop);
    await query(
      other.url,
      `UPDATE _prisma_migrations SET finished_at = NULL, logs = 'ERROR: no room' WHERE migration_name =
        (SELECT max(migration_name) FROM _prisma_migrations)`,
    );
    expect(await check({ DATABASE_URL: other.url })).toEqual(
      except({
        migrations: expect.stringMatching(
          /^FAILED migrations: Migration \S+ failed: ERROR: no room\. .*UPDATE _prisma/,
        ),
      }),
    );
  });

  test('whose clock differs fails', async () => {
    expect(await check({}, () => new Date(Date.now() + 401 * DAY_MS))).toEqual(
      except({
        clock:
          "FAILED clock: the clock of this machine is 401 days ahead of the database's: set both by a time server",
      }),
    );
  });

  test('that only DATABASE_DIRECT_URL reaches is blamed on DATABASE_URL, and the other way round', async () => {
    const { lines } = await check({ DATABASE_DIRECT_URL: `postgresql://${ROLE}@127.0.0.1:1/audio` });
    expect(lines[3]).toMatch(
      /^FAILED migrations: Nothing listens at the host and port in DATABASE_DIRECT_URL/,
    );
    expect(lines[1]).toBe(OK[1]);
  });

  test('of DATABASE_DIRECT_URL fails where it is another one', async () => {
    const other = await emptyTestDatabase();
    onTestFinished(other.drop);
    expect(await check({ DATABASE_DIRECT_URL: other.url })).toEqual(
      except({
        migrations: expect.stringMatching(
          /^FAILED migrations: DATABASE_URL leads to the database test_\w+ at 127\.0\.0\.1:\d+, but DATABASE_DIRECT_URL to test_/,
        ),
      }),
    );
  });
});

describe('the provider', () => {
  const NO_TOKEN = 'FAILED stream: not tried, since there is no token';

  test.each<[string, (response: ServerResponse) => unknown, string]>([
    [
      'that refuses us',
      (response) => response.writeHead(401).end(),
      '(status 401): check the credentials in PROVIDER_TOKEN_URL, and whether the provider lets this machine in',
    ],
    [
      'whose page has no link',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Mantenimiento'),
      '(no usable link in the page): check that PROVIDER_TOKEN_URL is the page with the link, ' +
        'and that the link has the parameter in which STREAM_BASE_URL ends',
    ],
  ])('%s fails', async (_what, answer, said) => {
    media.page = (response) => void answer(response);
    expect(await check()).toEqual(
      except({ provider: `FAILED provider: it gives no token ${said}`, stream: NO_TOKEN }),
    );
  });

  test("whose tokens are bound to this server's address is a warning", async () => {
    const payload = 'server_time=7/4/2025 3:05:09 PM&hash_value=wcwR9HKskYP6XAcdqy1ATw==&validminutes=20';
    const bound = Buffer.from(payload).toString('base64');
    media.page = (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<a href="${media.env.STREAM_BASE_URL}${bound}">`);
    media.accepted = bound;
    expect(await check()).toEqual({
      ...except({
        provider:
          "WARN provider: it gives a token, but bound to this server's IP address, so that it plays from nowhere else: " +
          'ask the provider to leave the address out',
      }),
      exitCode: 0,
    });
  });

  test('that is not there fails', async () => {
    expect(await check({ PROVIDER_TOKEN_URL: 'http://127.0.0.1:1/' })).toEqual(
      except({
        provider: expect.stringMatching(
          /^FAILED provider: it gives no token \(ECONNREFUSED\): check the host and port in PROVIDER/,
        ),
        stream: NO_TOKEN,
      }),
    );
  });
});

describe('the stream', () => {
  test('that redirects names the host that it leads to', async () => {
    const elsewhere = (request: IncomingMessage) =>
      `http://localhost:${request.socket.localPort}${request.url}`;
    media.stream = (response, request) =>
      request.headers.host?.startsWith('localhost')
        ? media.usualStream(response, request)
        : void response.writeHead(302, { location: elsewhere(request) }).end();
    const { lines } = await check();
    expect(lines.at(-1)).toMatch(
      / stream: it sends audio \(audio\/mpeg\) after a redirect to localhost:\d+\b/,
    );
  });

  test('that pages may read is said to need STREAM_CORS=on', async () => {
    media.stream = (response, request) => {
      response.setHeader('access-control-allow-origin', request.headers.origin ?? '');
      media.usualStream(response, request);
    };
    expect((await check()).lines.at(-1)).toMatch(/set STREAM_CORS=on/);
    expect(await check({ STREAM_CORS: 'on' })).toEqual({ exitCode: 0, lines: OK, remarks: '' });
  });

  test('that pages may not read fails with STREAM_CORS=on', async () => {
    expect(await check({ STREAM_CORS: 'on' })).toEqual(
      except({
        stream: expect.stringMatching(/^FAILED stream: pages may not read it .*: set STREAM_CORS=off$/),
      }),
    );
  });

  test.each<[string, (response: ServerResponse) => unknown, string]>([
    [
      'that refuses the token',
      (response) => response.writeHead(403).end(),
      'it refuses the token (status 403): PROVIDER_TOKEN_URL and STREAM_BASE_URL must be of the same stream, ' +
        "and the provider must not bind tokens to another machine's address",
    ],
    [
      'that is not there',
      (response) => response.writeHead(404).end(),
      'it answers with status 404: check the path in STREAM_BASE_URL',
    ],
    [
      'that is a page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'it answers with text/html, which is no audio: check STREAM_BASE_URL',
    ],
    [
      'that ends without audio',
      (response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(),
      'it ends without audio: ask the provider whether it is on air',
    ],
    [
      'that breaks off',
      (response) => response.socket?.resetAndDestroy(),
      'it cannot be opened (ECONNRESET): check the host and port in STREAM_BASE_URL, DNS, certificates, and firewalls in between',
    ],
  ])('%s fails', async (_what, answer, said) => {
    media.stream = (response) => void answer(response);
    expect(await check()).toEqual(except({ stream: `FAILED stream: ${said}` }));
    await expect.poll(() => media.connections).toBe(0);
  });
});
