import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { explainDatabaseError } from '../../../../server/database/errors/explainDatabaseError.ts';
import { applyMigrations } from '../../../../server/database/migrations/migrations.ts';
import { explainStartError } from '../../../../server/start/explainStartError.ts';
import { emptyTestDatabase, type TestDatabase } from '../../../support/testDatabase.ts';
import { provideRole } from '../testRole.ts';

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
  ['locks its socket away', 'EACCES', 'connect EACCES /run/x/.s.PGSQL.5432', /may not open the socket/],
  ['is silent', undefined, 'timeout expired', /^There is no answer/],
  ['is something else', undefined, 'Connection terminated unexpectedly', /check DATABASE_URL, and that P/],
])('the failure of a server that %s is explained', (_name, code, message, said) => {
  expect(explainDatabaseError(Object.assign(new Error(message), { code }))).toMatch(said);
});
