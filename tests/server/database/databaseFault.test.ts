import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { startFailure } from '../../../server/startFailure.ts';
import { emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';
import { provideRole } from './testRole.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyTestDatabase();
});
afterAll(() => database.drop());
const role = provideRole(() => database.url);

const urlWith = (parts: Partial<URL>) => Object.assign(new URL(role.urlOf(database.url)), parts).href;

/** Returns the message at the terminal when the server starts with this DATABASE_URL. */
async function saidOf(url: string): Promise<string> {
  const said = startFailure((await applyMigrations(url).catch((reason: Error) => reason)) as Error);
  for (const secret of [role.name, role.password, new URL(url).hostname, 'canario']) {
    expect(said).not.toContain(secret);
  }
  expect(said).not.toContain('\n');
  return said;
}

/** Returns the port of a server that only looks like PostgreSQL. */
async function impostor(greet: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return String((server.address() as AddressInfo).port);
}

/** PostgreSQL's ErrorResponse; https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

const NO_TLS = 'no pg_hba.conf entry for host "192.0.2.1", user "canario", database "canario", no encryption';

test.each<[string, Partial<URL> | (() => Promise<unknown>), RegExp]>([
  ['an unknown host', { hostname: 'canario.invalid' }, /^The host in DATABASE_URL is not found/],
  ['a port where nothing is', { port: '9' }, /^Nothing listens/],
  ['a wrong password', { password: 'canario' }, /^PostgreSQL refuses the user or the password/],
  ['no password', { password: '' }, /^PostgreSQL asks for a password/],
  ['an unknown database', { pathname: '/canario' }, /names does not exist/],
  ['TLS where there is none', { search: '?sslmode=require' }, /^DATABASE_URL asks for TLS/],
  ['no right to make tables', {}, /may not create tables/],
  [
    'a role that may not sign in',
    () => role.admin.query(`ALTER ROLE ${role.name} NOLOGIN`),
    /check the role and pg_hba\.conf/,
  ],
  [
    'no connection left',
    () => role.admin.query(`ALTER ROLE ${role.name} CONNECTION LIMIT 0`),
    /^PostgreSQL has no connection left/,
  ],
])('a start with %s says so, and no address', async (_name, fault, said) => {
  if (typeof fault === 'function') await fault();
  expect(await saidOf(urlWith(typeof fault === 'function' ? {} : fault))).toMatch(said);
});

test.each<[string, (socket: Socket) => unknown, RegExp]>([
  [
    'demands TLS',
    (socket) => socket.once('data', () => socket.end(errorResponse('28000', NO_TLS))),
    /^PostgreSQL lets nobody in without TLS/,
  ],
  [
    'is a pooler that refuses options',
    (socket) =>
      socket.once('data', () =>
        socket.end(errorResponse('08P01', 'unsupported startup parameter: lock_timeout')),
      ),
    /^A pooler stands before PostgreSQL/,
  ],
  ['is silent', () => {}, /^There is no answer/],
  [
    'is something else',
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\ncanario'),
    /check DATABASE_URL, and that PostgreSQL runs/,
  ],
])('a start with a server that %s says so', async (_name, greet, said) => {
  expect(await saidOf(urlWith({ port: await impostor((socket) => void greet(socket)) }))).toMatch(said);
});
