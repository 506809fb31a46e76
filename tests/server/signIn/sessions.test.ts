import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setDisabled, setPassword } from '../../../server/cli/accounts.ts';
import { createSessions, SESSION_LIFETIME_MS } from '../../../server/signIn/sessions.ts';
import { signingKeys } from '../../../server/signIn/signedJwt.ts';
import {
  ACCOUNT,
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

  test('signed out, the JWT is refused from then on, on every instance', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl, jwtSecret: app.jwtSecret });
    try {
      const headers = await app.bearer();
      expect((await other.graphql(SESSION, { headers })).data?.session).not.toBeNull();
      const signOut = await app.graphql(LOGOUT, { headers });
      expect(signOut.data).toEqual({ logout: true });
      expect(signOut.headers.getSetCookie()[0]).toMatch(/^session=;.*Expires=Thu, 01 Jan 1970/);
      expect((await app.graphql(SESSION, { headers })).data).toEqual({ session: null });
      expect((await other.graphql(SESSION, { headers })).data).toEqual({ session: null });
    } finally {
      await other.close();
    }
  });

  test('signing out without a session is true as well', async () => {
    expect((await app.graphql(LOGOUT)).data).toEqual({ logout: true });
  });

  test('signing out ends this session and no other', async () => {
    const [one, another] = [await app.bearer(), await app.bearer()];
    await app.graphql(LOGOUT, { headers: one });
    expect((await app.graphql(SESSION, { headers: another })).data?.session).not.toBeNull();
  });

  test('of an account that is disabled meanwhile is refused', async () => {
    await app.addAccount({ username: 'otra@uno.example', password: 'secreto-3', company: 'Otra' });
    const { jwt } = await app.signIn('otra@uno.example', 'secreto-3');
    const headers = { authorization: `Bearer ${jwt}` };
    await app.prisma.account.update({ where: { username: 'otra@uno.example' }, data: { disabled: true } });
    expect((await app.graphql(SESSION, { headers })).data).toEqual({ session: null });
    expect((await app.graphql(STREAM, { headers })).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  test('never counts when the password changed, or the account was disabled, after it was read', async () => {
    const { id, username } = await app.addAccount({
      username: 'carrera@uno',
      password: 'secreto-4',
      company: 'Carrera',
    });
    const sessions = createSessions(app.prisma, signingKeys(app.jwtSecret), () => now);
    const read = () => app.prisma.account.findUniqueOrThrow({ where: { id } });
    for (const change of [
      () => setPassword(app.prisma, username, async () => 'secreto-5'),
      () => setDisabled(app.prisma, username, true),
    ]) {
      const account = await read();
      expect(await sessions.find((await sessions.start(account)).jwt)).not.toBeNull();
      await change();
      expect(await sessions.find((await sessions.start(account)).jwt)).toBeNull();
    }
  });

  test('in the database is worth nothing without the key: its id is no JWT', async () => {
    await app.bearer();
    const rows = await app.prisma.session.findMany();
    for (const { id } of rows) {
      const answer = await app.graphql(SESSION, { headers: { authorization: `Bearer ${id}` } });
      expect(answer.data).toEqual({ session: null });
    }
  });
});

describe('sessions that are asked for together', () => {
  test('cost one query each of sessions and accounts, and each is told what it is: standing, ended, disabled, deleted, changed or none of ours', async () => {
    const names = ['una', 'terminada', 'desactivada', 'borrada', 'cambiada', 'dos'];
    const jwts: Record<string, string> = {};
    for (const name of names) {
      const username = `${name}@junta.example`;
      await app.addAccount({ username, password: 'secreto-6', company: `Radio ${name}` });
      jwts[name] = (await app.signIn(username, 'secreto-6')).jwt;
    }
    await app.graphql(LOGOUT, { headers: { authorization: `Bearer ${jwts.terminada}` } });
    const ofAccount = (name: string) => ({ where: { username: `${name}@junta.example` } });
    await app.prisma.account.update({ ...ofAccount('desactivada'), data: { disabled: true } });
    await app.prisma.account.delete(ofAccount('borrada'));
    const { id: accountId } = await app.prisma.account.findUniqueOrThrow(ofAccount('cambiada'));
    await app.prisma.session.updateMany({ where: { accountId }, data: { expiresAt: new Date(0) } });

    const sessions = createSessions(app.prisma, signingKeys(app.jwtSecret), () => now);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const asked = [...names, 'una', 'dos', 'nadie'];
      const found = await Promise.all(asked.map((name) => sessions.find(jwts[name] ?? 'eyJ.none.ours')));
      expect(found.map((session) => session?.company ?? null)).toEqual([
        'Radio una',
        null,
        null,
        null,
        null,
        'Radio dos',
        'Radio una',
        'Radio dos',
        null,
      ]);
      expect(query).toHaveBeenCalledTimes(2);
    } finally {
      query.mockRestore();
    }
  });

  test('are all answered DATABASE_UNAVAILABLE when there is no database', async () => {
    const nowhere = 'postgresql://nobody@127.0.0.1:1/none';
    const other = await startTestApp({ databaseUrl: nowhere, jwtSecret: app.jwtSecret });
    const headers = await app.bearer();
    try {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => other.graphql(SESSION, { headers })),
      );
      expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(
        Array(20).fill('DATABASE_UNAVAILABLE'),
      );
    } finally {
      await other.close();
    }
  });
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
