import { Pool } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '../../../server/signIn/sessions.ts';
import { ACCOUNT, CREATE_TOKEN, LOGOUT, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';
import { type Booty, claimsOf, FORGERIES, headerOf, mint } from './forgeries.ts';

const SECRET = 'the secret of the app that is attacked, more than 32 bytes';
const ANOTHER = { username: 'radio@dos.example', password: 'secreto-2', company: 'Radio Dos' };
const CONNECTIONS = 16;

type Answer = { status: number; text: string };

let app: TestApp;
let pool: Pool;
let now = new Date('2026-11-20T18:00:00.250Z');
let accountId: string;
let genuine: string;
let booty: Booty;
const forged = new Map<string, string[]>();

beforeAll(async () => {
  app = await startTestApp({ clock: () => now, jwtSecret: SECRET });
  pool = new Pool(app.url, { connections: CONNECTIONS });
  accountId = (await app.addAccount(ACCOUNT)).id;
  await app.addAccount(ANOTHER);
  const { headers } = await app.login();
  const { jwt: anotherJwt } = await app.signIn(ANOTHER.username, ANOTHER.password);
  genuine = (await app.signIn()).jwt;
  booty = {
    genuine,
    secret: SECRET,
    notTheSecret: [app.databaseUrl, ...(await storedTexts())],
    another: { jwt: anotherJwt, username: ANOTHER.username },
    deviceJwt: /device=([^;]+)/.exec(headers.getSetCookie().join())?.[1] ?? '',
    now,
  };
  const seen = new Set([genuine, anotherJwt]);
  for (const [name, forge] of Object.entries(FORGERIES)) {
    forged.set(
      name,
      [...forge(booty)].filter((jwt) => !seen.has(jwt) && seen.add(jwt)),
    );
  }
});
afterAll(async () => {
  await pool.close();
  await app.close();
});

/** Texts of the database that a thief may take for the secret. */
async function storedTexts(): Promise<string[]> {
  const accounts = await app.prisma.account.findMany();
  const sessions = await app.prisma.session.findMany();
  const counts = await app.prisma.attemptCount.findMany();
  return [
    ...accounts.flatMap(({ id, username, passwordHash }) => [id, username, passwordHash]),
    ...sessions.map(({ id }) => id),
    ...counts.map(({ key }) => key),
  ];
}

async function post(query: string, headers: Record<string, string>): Promise<Answer> {
  const { statusCode, body } = await pool.request({
    path: '/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return { status: statusCode, text: await body.text() };
}

// Headers are bytes, so text beyond ASCII goes as UTF-8.
const asHeader = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const asBearer = (jwt: string) => ({ authorization: `Bearer ${asHeader(jwt)}` });
const asCookie = (jwt: string) => ({ cookie: `session=${asHeader(jwt)}` });

/** The app's answers to a JWT, sent as tools do and as browsers do. */
async function answersTo(jwt: string): Promise<{ session: Answer; createToken: Answer }> {
  const [session, createToken] = await Promise.all([
    post(SESSION, asBearer(jwt)),
    post(CREATE_TOKEN, asCookie(jwt)),
  ]);
  return { session, createToken };
}

async function isAccepted(jwt: string): Promise<boolean> {
  const { session, createToken } = await answersTo(jwt);
  return session.text.includes(ACCOUNT.company) && createToken.text.includes('"streamUrl"');
}

async function isRefused(jwt: string): Promise<boolean> {
  const { session, createToken } = await answersTo(jwt);
  if (session.status !== 200 || session.text.trim() !== '{"data":{"session":null}}') return false;
  const { data, errors } = JSON.parse(createToken.text);
  return createToken.status === 200 && data === null && errors[0].extensions.code === 'UNAUTHENTICATED';
}

async function notRefused(jwts: string[]): Promise<string[]> {
  const refused = await Promise.all(jwts.map(isRefused));
  return jwts.filter((_jwt, index) => !refused[index]);
}

describe('a forged JWT', () => {
  afterEach(async () => {
    expect(await isAccepted(genuine)).toBe(true);
    expect(app.logLines.splice(0).filter((line) => JSON.parse(line).level !== 'info')).toEqual([]);
  });

  test('would count if nothing were wrong with it', async () => {
    expect(await isAccepted(mint(headerOf(genuine), claimsOf(genuine), SECRET))).toBe(true);
  });

  test.each(Object.keys(FORGERIES))('%s is no session, as bearer and as cookie', async (name) => {
    const jwts = forged.get(name) ?? [];
    expect(jwts.length).toBeGreaterThan(15);
    expect(await notRefused(jwts)).toEqual([]);
  });

  test('ends no session', async () => {
    const names = ['of another algorithm', 'signed with another secret'];
    const jwts = names.flatMap((name) => forged.get(name) ?? []);
    const answers = await Promise.all(jwts.map((jwt) => post(LOGOUT, asBearer(jwt))));
    expect(new Set(answers.map(({ text }) => text.trim()))).toEqual(new Set(['{"data":{"logout":true}}']));
  });
});

describe('a genuine JWT', () => {
  test('carries issuer, audience, expiry and id, and nothing of the account but its id', () => {
    expect(headerOf(genuine)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claimsOf(genuine)).toEqual({
      iss: 'audio-oficial-premium',
      aud: 'audio-oficial-premium/graphql',
      sub: accountId,
      jti: expect.any(String),
      iat: Math.floor(now.getTime() / 1000),
      exp: Math.floor((now.getTime() + SESSION_LIFETIME_MS) / 1000),
    });
  });

  test('is no session once it ran out, even while its row is still there', async () => {
    const { jwt } = await app.signIn();
    const signedInAt = now;
    now = new Date(signedInAt.getTime() + SESSION_LIFETIME_MS);
    expect(await isRefused(jwt)).toBe(true);
    expect(await app.prisma.session.count({ where: { id: String(claimsOf(jwt).jti) } })).toBe(1);
    now = new Date(signedInAt.getTime() + SESSION_LIFETIME_MS - 1_000);
    expect(await isAccepted(jwt)).toBe(true);
    now = signedInAt;
  });
});
