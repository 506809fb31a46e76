import { expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from '../../../server/config/config.ts';
import { NO_PROXIES } from '../../../server/config/proxies.ts';

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://user:canary@db.example/audio',
  JWT_SECRET: 'x'.repeat(32),
  PROVIDER_TOKEN_URL: 'https://provider.example/secure/audio',
  STREAM_BASE_URL: 'https://stream.example/mp3/icecast.audio?wmsAuthSign=',
};

const FIREBASE = {
  apiKey: 'AIza-canary',
  projectId: 'audio-canary',
  appId: '1:23:web:45',
  measurementId: 'G-CANARY',
  authDomain: 'audio.firebaseapp.com',
  databaseURL: 'https://audio.firebaseio.com',
  storageBucket: 'audio.appspot.com',
  messagingSenderId: '23',
};

/** With Prisma's own way to name the usual schema, and a certificate that can be read. */
const DATABASE_ADDRESS = `postgresql://audio@db.example/audio?schema=public&sslrootcert=${import.meta.filename}`;

const SOCKET_ADDRESS = 'postgresql://user:p%23ss@localhost/audio?host=/run/postgresql';

const CANARY_SECRET = 'canary, and as long as a secret has to be';

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('the configuration with nothing set is the demo on 127.0.0.1:4000', () => {
  expect(readConfig({})).toEqual<Config>({
    production: false,
    host: '127.0.0.1',
    port: 4000,
    trustProxy: 0,
    metrics: null,
    apolloSandbox: true,
    tokenLedgerDays: 400,
    streamCors: true,
    firebaseConfig: null,
    supportContact: null,
    previousJwtSecret: null,
    directDatabaseUrl: null,
    proxies: NO_PROXIES,
    given: {},
  });
});

test.each<[env: Record<string, string>, changes: Partial<Config>]>([
  [{ PORT: '', DATABASE_URL: '', NODE_ENV: '' }, {}],
  [{ NODE_ENV: 'test' }, {}],
  [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
  [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
  [{ METRICS_PORT: '4000', METRICS_HOST: '10.0.0.5' }, { metrics: { host: '10.0.0.5', port: 4000 } }],
  [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
  [{ APOLLO_SANDBOX: 'off' }, { apolloSandbox: false }],
  [{ TOKEN_LEDGER_DAYS: '30' }, { tokenLedgerDays: 30 }],
  [{ FIREBASE_CONFIG: JSON.stringify({ ...FIREBASE, unknown: 'x' }) }, { firebaseConfig: FIREBASE }],
  [{ SUPPORT_CONTACT: ' Soporte: +34 600 123 456 ' }, { supportContact: 'Soporte: +34 600 123 456' }],
  [{ DATABASE_URL: DATABASE_ADDRESS }, { given: { databaseUrl: DATABASE_ADDRESS } }],
  [{ DATABASE_URL: SOCKET_ADDRESS }, { given: { databaseUrl: SOCKET_ADDRESS } }],
  [{ JWT_SECRET: 'ñ'.repeat(16) }, { given: { jwtSecret: 'ñ'.repeat(16) } }],
  [
    { JWT_SECRET: PRODUCTION.JWT_SECRET, JWT_SECRET_PREVIOUS: CANARY_SECRET },
    { given: { jwtSecret: PRODUCTION.JWT_SECRET }, previousJwtSecret: CANARY_SECRET },
  ],
  [
    { STREAM_BASE_URL: 'https://señal.example/a?sign=' },
    { streamCors: false, given: { streamBaseUrl: 'https://xn--seal-hqa.example/a?sign=' } },
  ],
  [
    { STREAM_BASE_URL: PRODUCTION.STREAM_BASE_URL },
    { streamCors: false, given: { streamBaseUrl: PRODUCTION.STREAM_BASE_URL } },
  ],
])('%o keeps the other defaults', (env, changes) => {
  expect(readConfig(env)).toEqual({ ...readConfig({}), ...changes });
});

test('production keeps what the demo opens off by default', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({ apolloSandbox: false, streamCors: false });
  const on = { APOLLO_SANDBOX: 'on', STREAM_CORS: 'on' };
  expect(readConfig({ ...PRODUCTION, ...on })).toMatchObject({ apolloSandbox: true, streamCors: true });
});

test('production names all wrong variables at once', () => {
  const faults = faultsOf({ NODE_ENV: 'production', JWT_SECRET: 'short', PORT: '4000x' });
  expect(faults).toHaveLength(5);
  expect(faults.join('\n')).toMatch(/PORT must.*\nJWT_SECRET must be at least 32 bytes/s);
  for (const name of ['DATABASE_URL', 'PROVIDER_TOKEN_URL', 'STREAM_BASE_URL']) {
    expect(faults).toContain(`${name} is required when NODE_ENV is production`);
  }
});

test.each<[name: string, value: string, others?: Record<string, string>]>([
  ['PORT', '65536'],
  ['HOST', 'http://host'],
  ['METRICS_PORT', '0'],
  ['METRICS_PORT', '4000'],
  ['METRICS_PORT', '8080', { PORT: '8080', HOST: '::' }],
  ['TRUST_PROXY', 'yes'],
  ['APOLLO_SANDBOX', 'true'],
  ['TOKEN_LEDGER_DAYS', '36501'],
  ['DATABASE_URL', 'mysql://user:canary@db/x'],
  ['DATABASE_URL', 'postgresql://user:canary@db.example/audio?schema=canary'],
  ['DATABASE_URL', 'postgresql://user:canary%e1ss@db.example/audio'],
  ['DATABASE_URL', 'postgresql:///audio?host=/run/canary'],
  ['DATABASE_URL', 'postgresql://user:canary@/audio'],
  ['DATABASE_URL', 'postgresql://user:pa#canary@db.example/audio'],
  ['DATABASE_URL', 'postgresql://db.example/audio?sslrootcert=system'],
  ['DATABASE_URL', `postgresql://db.example/audio?sslcert=${import.meta.dirname}`],
  ['DATABASE_URL', 'postgresql://db.example/audio?sslkey=/nowhere'],
  ['DATABASE_URL', 'postgresql://user:canary@db.example:65536/audio'],
  ['DATABASE_URL', 'postgresql://user:canary@db.example/audio?port=canary'],
  ['DATABASE_DIRECT_URL', 'postgresql://user:canary@db.example/audio'],
  ['DATABASE_DIRECT_URL', 'canary', { DATABASE_URL: PRODUCTION.DATABASE_URL }],
  ['NODE_ENV', 'Production-canary'],
  ['JWT_SECRET', 'n'.repeat(31)],
  ['JWT_SECRET_PREVIOUS', 'canary-too-short', { JWT_SECRET: 'y'.repeat(32) }],
  ['JWT_SECRET_PREVIOUS', CANARY_SECRET, { JWT_SECRET: CANARY_SECRET }],
  ['JWT_SECRET_PREVIOUS', CANARY_SECRET],
  ['PROVIDER_TOKEN_URL', 'ftp://canary.example/'],
  ['HTTPS_PROXY', 'socks5://canary.example:1080', { PROVIDER_TOKEN_URL: 'https://media.example/audio' }],
  ['STREAM_BASE_URL', 'https://canary.example/audio'],
  ['PROVIDER_TOKEN_URL', 'https://canary.example/secure \n'],
  ['SUPPORT_CONTACT', 'canary, without an address'],
  ['SUPPORT_CONTACT', '\u202ecanary@radio.example'],
  ['SUPPORT_CONTACT', `canary@radio.example ${'x'.repeat(120)}`],
  ['FIREBASE_CONFIG', '{ apiKey: "canary" }'],
  ['FIREBASE_CONFIG', JSON.stringify({ ...FIREBASE, appId: ' ' })],
  ['FIREBASE_CONFIG', JSON.stringify({ ...FIREBASE, messagingSenderId: 123 })],
])('%s=%s is refused by name', (name, value, others = {}) => {
  const faults = faultsOf({ [name]: value, ...others });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^${name} (must|may only) `));
  expect(faults[0]).not.toContain('canary');
});

test('a proxy that cannot be used is no fault where no provider is asked through it', () => {
  const HTTPS_PROXY = 'socks5://proxy.example:1080';
  expect(readConfig({ HTTPS_PROXY }).given).toEqual({});
  expect(readConfig({ HTTPS_PROXY, PROVIDER_TOKEN_URL: 'http://127.0.0.1/audio' }).given).not.toEqual({});
});

test.each([
  ['DATABASE_URL', 'jdbc:postgresql://db.example/audio', 'without "jdbc:"'],
  ['DATABASE_URL', 'postgresql+psycopg2://user:canary@db.example/audio', 'without "+psycopg2"'],
  ['DATABASE_URL', 'host=db.example user=audio password=canary', 'not as a list of keywords'],
  ['DATABASE_URL', 'prisma+postgres://accelerate.example/?api_key=canary', 'of PostgreSQL itself'],
  ['DATABASE_URL', '"postgresql://user:canary@db.example/audio"', 'without quotes'],
  ['DATABASE_URL', 'postgresql://user:canary@one.example:5432,two.example:5432/audio', 'one host alone'],
  ['DATABASE_URL', 'postgresql://user:canary@one.example,two.example/audio', 'one host alone'],
  ['DATABASE_URL', 'postgresql://user:canary@db.example:70000/audio', 'port from 1 to 65535'],
  ['DATABASE_URL', 'postgresql://user:pa#canary@db.example/audio', 'percent-encode'],
  ['DATABASE_URL', 'mysql://user:canary@db.example/audio', 'a postgresql:// address'],
  ['PROVIDER_TOKEN_URL', 'canary.example/audio', 'begin with http:// or https://'],
  ['PROVIDER_TOKEN_URL', 'ftp://canary.example/audio', 'begin with http:// or https://'],
  ['PROVIDER_TOKEN_URL', 'https://canary.example/au dio', 'no blank'],
  ['PROVIDER_TOKEN_URL', "'https://canary.example/audio'", 'without quotes'],
  ['PROVIDER_TOKEN_URL', 'https://', 'name a host'],
  ['STREAM_BASE_URL', 'https://canary.example/live', 'end in the auth-sign parameter and "="'],
  ['STREAM_BASE_URL', 'https://canary.example/live?sign=canary', 'end at "=", without a token after it'],
  ['STREAM_BASE_URL', 'canary.example/live?sign=', 'begin with http:// or https://'],
  ['HOST', 'http://canary.example', 'without http:// and path'],
  ['HOST', '0.0.0.0:4000', 'without a port, which is PORT'],
  ['METRICS_HOST', '0.0.0.0:9464', 'without a port, which is METRICS_PORT'],
  ['HOST', '[::1]', 'without brackets'],
  ['HOST', 'señal.example', 'xn--'],
])('%s=%s is told what is wrong with it', (name, value, words) => {
  const faults = faultsOf({ [name]: value });
  expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  expect(faults[0]).toContain(words);
  expect(faults[0]).not.toContain('canary');
});

test('a certificate that cannot be read is named as the fault of DATABASE_URL', () => {
  const [fault] = faultsOf({ DATABASE_URL: 'postgresql://db.example/audio?sslrootcert=system' });
  expect(fault).toContain('"system" is not a file');
});
