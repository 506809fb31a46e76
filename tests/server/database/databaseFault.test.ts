import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { applyMigrations } from '../../../server/database/migrate.ts';
import { startFailure } from '../../../server/startFailure.ts';
import { plainCanary } from '../../support/canaries.ts';
import { emptyTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const ROLE = plainCanary();
const PASSWORD = plainCanary();
let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await emptyTestDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`);
});
afterAll(async () => {
  await admin.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
  await admin.end();
  await database.drop();
});

function urlWith(parts: Partial<URL>): string {
  return Object.assign(new URL(database.url), { username: ROLE, password: PASSWORD }, parts).href;
}

/** Returns the message at the terminal when the server starts with this DATABASE_URL. */
async function saidOf(url: string): Promise<string> {
  const error: unknown = await applyMigrations(url).then(
    () => new Error('it started'),
    (reason: unknown) => reason,
  );
  const said = startFailure(error);
  for (const secret of [ROLE, PASSWORD, new URL(url).hostname, new URL(url).port || 'none', 'canario']) {
    expect(said).not.toContain(secret);
  }
  expect(said).not.toContain('\n');
  return said;
}

/** The port of a server that is no PostgreSQL. */
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

describe('a start without its database says which of these it is, and no address', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'an unknown host',
      () => urlWith({ hostname: 'canario.invalid' }),
      /^The host in DATABASE_URL is not found/,
    ],
    ['a port where nothing is', () => urlWith({ port: '9' }), /^Nothing listens/],
    [
      'a wrong password',
      () => urlWith({ password: 'canario' }),
      /^PostgreSQL refuses the user or the password/,
    ],
    ['no password', () => urlWith({ password: '' }), /^PostgreSQL asks for a password/],
    [
      'an unknown user',
      () => urlWith({ username: 'canario' }),
      /^PostgreSQL refuses the user or the password/,
    ],
    ['an unknown database', () => urlWith({ pathname: '/canario' }), /names does not exist/],
    ['TLS where there is none', () => urlWith({ search: '?sslmode=require' }), /^DATABASE_URL asks for TLS/],
    ['no right to make tables', () => urlWith({}), /may not create tables/],
  ])('%s', async (_name, url, said) => {
    expect(await saidOf(url())).toMatch(said);
  });

  test('a role that may not sign in', async () => {
    await admin.query(`ALTER ROLE ${ROLE} NOLOGIN`);
    expect(await saidOf(urlWith({}))).toMatch(/check the role and pg_hba\.conf/);
    await admin.query(`ALTER ROLE ${ROLE} LOGIN`);
  });

  test('no connection left', async () => {
    await admin.query(`ALTER ROLE ${ROLE} CONNECTION LIMIT 0`);
    expect(await saidOf(urlWith({}))).toMatch(/^PostgreSQL has no connection left/);
    await admin.query(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`);
  });

  test('TLS demanded', async () => {
    const refusal =
      'no pg_hba.conf entry for host "192.0.2.1", user "canario", database "canario", no encryption';
    const port = await impostor(
      (socket) => void socket.once('data', () => socket.end(errorResponse('28000', refusal))),
    );
    expect(await saidOf(urlWith({ port }))).toMatch(/^PostgreSQL lets nobody in without TLS/);
  });

  test('silence', async () => {
    expect(await saidOf(urlWith({ port: await impostor(() => {}) }))).toMatch(/^There is no answer/);
  });

  test('somebody else on that port', async () => {
    const port = await impostor((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\ncanario'));
    expect(await saidOf(urlWith({ port }))).toMatch(/DATABASE_URL/);
  });
});
