import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSessions, SESSION_LIFETIME_MS } from '../../../server/signIn/sessions.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import {
  ACCOUNT,
  CREATE_TOKEN,
  LOGIN,
  LOGOUT,
  SESSION,
  STREAM,
  STREAM_BASE_URL,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

let app: TestApp;
let now = new Date();

beforeAll(async () => {
  app = await startTestApp({ clock: () => now });
  await app.addAccount(ACCOUNT);
});
afterAll(() => app.close());

describe('a session', () => {
  test('is null when signed out', async () => {
    expect(await app.graphql(SESSION)).toMatchObject({ data: { session: null } });
  });

  test('answers id, company and expiry to the cookie and to the bearer alike', async () => {
    const { jwt, cookie, ...session } = await app.signIn();
    const byCookie = await app.graphql(SESSION, { headers: { cookie } });
    const byBearer = await app.graphql(SESSION, { headers: { authorization: `Bearer ${jwt}` } });
    expect(byCookie.data).toEqual({ session });
    expect(byBearer.data).toEqual({ session });
  });

  test('names the address that the request came from as the record of a token does', async () => {
    const { cookie } = await app.signIn();
    await app.graphql(CREATE_TOKEN, { headers: { cookie } });
    const query = '{ session { address } tokens { nodes { address } } }';
    const { data } = await app.graphql(query, { headers: { cookie } });
    const address = '127.0.0.1';
    expect(data).toEqual({ session: { address }, tokens: { nodes: [{ address }] } });
    await app.prisma.tokenRecord.deleteMany();
  });

  test('a bearer that is sent decides, whatever the cookie says', async () => {
    const { cookie } = await app.signIn();
    const answer = await app.graphql(SESSION, {
      headers: { cookie, authorization: 'Bearer nothing' },
    });
    expect(answer.data).toEqual({ session: null });
  });

  test('a browser’s is found by its cookie also behind a proxy that asks for a password of its own', async () => {
    const { cookie, jwt: _, ...session } = await app.signIn();
    const answer = await app.graphql(SESSION, { headers: { cookie, authorization: 'Basic dTpw' } });
    expect(answer.data).toEqual({ session });
  });

  test('ends when its browser signs in anew, and only then', async () => {
    const { cookie } = await app.signIn();
    const byCookie = async () => (await app.graphql(SESSION, { headers: { cookie } })).data?.session;
    const { username, password } = ACCOUNT;
    const again = (typed: string) =>
      app.graphql(LOGIN, { variables: { username, password: typed }, headers: { cookie } });
    expect((await again('otra-cosa')).errors).toBeDefined();
    expect(await byCookie()).not.toBeNull();
    expect((await again(password)).errors).toBeUndefined();
    expect(await byCookie()).toBeNull();
  });

  test('is neither started nor ended when one of the two fails', async () => {
    const { cookie } = await app.signIn();
    const before = await app.prisma.session.findMany();
    await app.prisma.$executeRaw`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`;
    await app.prisma.$executeRaw`
      CREATE TRIGGER refused BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION refuse()`;
    const variables = { username: ACCOUNT.username, password: ACCOUNT.password };
    const answer = await app.graphql(LOGIN, { variables, headers: { cookie } });
    await app.prisma.$executeRaw`DROP FUNCTION refuse CASCADE`;
    expect(answer.errors?.[0]?.extensions.code).toBe('INTERNAL_SERVER_ERROR');
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await app.prisma.session.findMany()).toEqual(before);
  });

  test('ends after its lifetime', async () => {
    const headers = await app.bearer();
    const start = now;
    now = new Date(start.getTime() + SESSION_LIFETIME_MS - 2_000);
    expect((await app.graphql(SESSION, { headers })).data?.session).not.toBeNull();
    now = new Date(start.getTime() + SESSION_LIFETIME_MS + 1_000);
    expect((await app.graphql(SESSION, { headers })).data).toEqual({ session: null });
    now = start;
  });

  test('signing out without a session is true as well', async () => {
    expect((await app.graphql(LOGOUT)).data).toEqual({ logout: true });
  });

  test('signing out ends this session and no other', async () => {
    const [one, another] = [await app.bearer(), await app.bearer()];
    const { data } = await app.graphql(LOGOUT, { headers: one });
    expect(data).toEqual({ logout: true });
    expect((await app.graphql(SESSION, { headers: one })).data).toEqual({ session: null });
    expect((await app.graphql(SESSION, { headers: another })).data?.session).not.toBeNull();
  });
});

test('the answer to a sign-out changes no cookie, since a newer sign-in may have set it', async () => {
  const { cookie } = await app.signIn();
  const { headers } = await app.graphql(LOGOUT, { headers: { cookie } });
  expect(headers.getSetCookie()).toEqual([]);
});

describe('a request that names another account than the session’s', () => {
  let headers: { cookie: string; 'x-account-id': string };
  beforeAll(async () => {
    headers = { cookie: (await app.signIn()).cookie, 'x-account-id': 'radio%20dos' };
    await app.prisma.tokenRecord.deleteMany();
  });

  test.each([
    ['session', SESSION],
    ['stream', STREAM],
    ['createToken', CREATE_TOKEN],
  ])('is refused: %s', async (field, operation) => {
    const { data, errors } = await app.graphql(operation, { headers });
    expect(data?.[field] ?? null).toBeNull();
    expect(errors?.[0]?.extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'OTHER_ACCOUNT' });
    expect(await app.prisma.tokenRecord.count()).toBe(0);
  });

  test('ends no session by signing out', async () => {
    expect((await app.graphql(LOGOUT, { headers })).data).toEqual({ logout: true });
    const { cookie } = headers;
    expect((await app.graphql(SESSION, { headers: { cookie } })).data?.session).not.toBeNull();
  });
});

test('a request may name the session’s account, whatever characters its id has', async () => {
  const id = 'año 1/ß';
  await app.addAccount({ ...ACCOUNT, id, username: 'radio@letras.example' });
  const { cookie } = await app.signIn('radio@letras.example');
  const headers = { cookie, 'x-account-id': encodeURIComponent(id) };
  expect((await app.graphql(SESSION, { headers })).data?.session).toMatchObject({ id });
});

test('sessions that are asked for together cost one query each of sessions and accounts, and each gets its own answer', async () => {
  await app.addAccount({ ...ACCOUNT, username: 'radio@dos.example', company: 'Radio Dos' });
  const [{ jwt: una }, { jwt: terminada }] = [await app.signIn(), await app.signIn()];
  const { jwt: dos } = await app.signIn('radio@dos.example');
  await app.graphql(LOGOUT, { headers: { authorization: `Bearer ${terminada}` } });
  const sessions = createSessions(app.prisma, signingKeys(app.jwtSecret), () => now);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const found = await Promise.all([una, terminada, dos, una, 'eyJ.none.ours'].map(sessions.find));
    const companies = found.map((session) => session?.company ?? null);
    expect(companies).toEqual(['Radio Uno', null, 'Radio Dos', 'Radio Uno', null]);
    expect(query).toHaveBeenCalledTimes(2);
  } finally {
    query.mockRestore();
  }
});

describe('stream', () => {
  test('answers the base address and the lifetime to the signed in', async () => {
    const { data } = await app.graphql(STREAM, { headers: await app.bearer() });
    expect(data).toEqual({ stream: { baseUrl: STREAM_BASE_URL, lifetimeSeconds: 1200 } });
  });

  test('is refused to the signed out with UNAUTHENTICATED', async () => {
    const { data, errors } = await app.graphql(STREAM);
    expect(data).toBeNull();
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});
