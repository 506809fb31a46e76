import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { explainDatabaseError, unavailableReason } from '../../../server/database/databaseErrors.ts';
import { applyMigrations } from '../../../server/database/migrations/migrations.ts';
import { explainStartError } from '../../../server/explainError.ts';
import { emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { provideRole } from './testRole.ts';

const failure = (fields: object, message = 'words') => Object.assign(new Error(message), fields);
/** An error of Prisma, which hides PostgreSQL's code and the adapter's name for it. */
const hidden = (cause: object) => failure({ code: 'P2010', meta: { driverAdapterError: { cause } } });

test.each<readonly [string, Error, string]>([
  ...['ECONNRESET', 'EAI_FAIL', 'EPROTO'].map((code) => ['a system code', failure({ code }), code] as const),
  ...[
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
  ].map((code) => ['a code of TLS', failure({ code }), code] as const),
  [
    'a failed connect in words of Prisma',
    failure({ code: 'EACCES' }, 'Invalid invocation:\n\n\nconnect EACCES /run/x/.s.PGSQL.5432'),
    'EACCES',
  ],
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'].map(
    (code) => ["Prisma's own code", failure({ code }), code] as const,
  ),
  ['a message of pg', failure({}, 'timeout expired'), 'timeout expired'],
  ["the adapter's kind", hidden({ kind: 'ConnectionClosed' }), 'P1017'],
  [
    'the code of an error of COMMIT',
    failure({ name: 'DriverAdapterError', cause: { kind: 'postgres', originalCode: '57P01' } }),
    '57P01',
  ],
  ...['08006', '25006', '25P03', '25P04', '42501', '53100', '55000', '55P03', '57P03', '58030'].map(
    (code) =>
      ['a hidden code of PostgreSQL', hidden({ kind: 'postgres', originalCode: code }), code] as const,
  ),
])('%s makes the database unavailable (%#)', (_what, error, reason) => {
  expect(unavailableReason(error)).toBe(reason);
});

test.each([
  ['a unique violation', failure({ code: 'P2002' })],
  ['an error in a query', hidden({ kind: 'postgres', originalCode: '42601' })],
  ['an exception of a trigger', hidden({ kind: 'postgres', originalCode: 'P0001' })],
  ['a file that may not be read', failure({ code: 'EACCES' }, "EACCES: permission denied, open 'root.crt'")],
  ['another error', failure({})],
])('%s does not make the database unavailable', (_what, error) => {
  expect(unavailableReason(error)).toBeNull();
});

let database: TestDatabase;

beforeAll(async () => {
  database = await emptyTestDatabase();
  return database.drop;
});
const role = provideRole(() => database.url);

const urlWith = (parts: Partial<URL>) => Object.assign(new URL(role.urlOf(database.url)), parts).href;

const alterRole = (option: string) => () => role.admin.query(`ALTER ROLE ${role.name} ${option}`);

async function refuseConnections() {
  const allow = (allowed: boolean) =>
    role.admin.query(`UPDATE pg_database SET datallowconn = ${allowed} WHERE datname = current_database()`);
  await allow(false);
  onTestFinished(() => allow(true).then(() => undefined));
}

test.each<[string, Partial<URL> | (() => Promise<unknown>), RegExp]>([
  ['an unknown host', { hostname: 'canario.invalid' }, /^The host in DATABASE_URL is not found/],
  ['a port where nothing is', { port: '9' }, /^Nothing listens/],
  ['a socket that is missing', { search: '?host=/canario' }, /^There is no socket of PostgreSQL/],
  ['a wrong password', { password: 'canario' }, /^PostgreSQL refuses the user or the password/],
  ['no password', { password: '' }, /^PostgreSQL asks for a password/],
  ['an unknown database', { pathname: '/canario' }, /names does not exist/],
  ['TLS where there is none', { search: '?sslmode=require' }, /^DATABASE_URL asks for TLS/],
  ['no right to make tables', {}, /may not create tables/],
  ['a role that may not sign in', alterRole('NOLOGIN'), /check the role and pg_hba\.conf/],
  [
    'a database that takes no connections',
    refuseConnections,
    /accepts no connections: run ALTER DATABASE … ALLOW_CONNECTIONS/,
  ],
  ['no connection left', alterRole('CONNECTION LIMIT 0'), /^PostgreSQL has no connection left/],
])('a start with %s says so, and no address', async (_name, fault, said) => {
  if (typeof fault === 'function') await fault();
  const url = urlWith(typeof fault === 'function' ? {} : fault);
  const failure = explainStartError(await applyMigrations(url).catch((reason: unknown) => reason));
  expect(failure).toMatch(said);
  for (const secret of [role.name, role.password, new URL(url).hostname, 'canario', '\n']) {
    expect(failure).not.toContain(secret);
  }
});

test.each([
  [
    'demands TLS, in Spanish',
    '28000',
    'no hay una línea en pg_hba.conf para «x», sin cifrado',
    /without TLS, add \?sslmode/,
  ],
  ['is a pooler', '08P01', 'unsupported startup parameter: lock_timeout', /^A pooler in front of PostgreSQL/],
  [
    'has a certificate of an unknown issuer',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
    /^The certificate of PostgreSQL is not accepted/,
  ],
  [
    'refuses our certificate',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'alert certificate expired',
    /^PostgreSQL refuses the TLS of DATABASE_URL/,
  ],
  [
    'asks for TLS, while our key is not that of our certificate,',
    'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
    'key values mismatch',
    /^A file of sslrootcert, sslcert or sslkey/,
  ],
  ['locks its socket away', 'EACCES', 'connect EACCES /run/x/.s.PGSQL.5432', /may not open the socket/],
  ['is silent', undefined, 'timeout expired', /^There is no answer/],
  ['is something else', undefined, 'Connection terminated unexpectedly', /check DATABASE_URL, and that P/],
])('the failure of a server that %s is explained', (_name, code, message, said) => {
  expect(explainDatabaseError(Object.assign(new Error(message), { code }))).toMatch(said);
});

/** Answers each connection as a managed pooler does that takes no setting. */
async function startRefusingPooler(): Promise<string> {
  const fields = ['SFATAL', 'C0A000', 'MFeature not supported: the option statement_timeout', ''];
  const error = Buffer.from(`E\0\0\0\0${fields.join('\0')}\0`);
  error.writeInt32BE(error.length - 1, 1);
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `postgresql://audio@127.0.0.1:${(server.address() as AddressInfo).port}/audio`;
}

test('a migration and a start through a pooler that refuses settings name the unpooled address', async () => {
  const url = await startRefusingPooler();
  const said =
    'A pooler in front of PostgreSQL refuses our connection settings: write the unpooled address into DATABASE_URL';
  await expect(applyMigrations(url)).rejects.toThrow(said);
  const pooled = openDatabase(url);
  onTestFinished(pooled.close);
  await expect(pooled.warmUp()).rejects.toThrow(said);
});
