import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  CREATE_TOKEN,
  type GraphqlAnswer,
  LOGIN,
  LOGOUT,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

const OLD = 'the secret before the change, of more than 32 bytes';
const NEW = 'the secret after the change, of more than 32 bytes';

let database: TestDatabase;
let before: TestApp;
const running: TestApp[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  before = await instance(OLD);
  await before.addAccount(ACCOUNT);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
  await database.drop();
});

/** One instance with its secrets; all of a test share its database. */
async function instance(jwtSecret: string, previousJwtSecret?: string): Promise<TestApp> {
  const app = await startTestApp({
    databaseUrl: database.url,
    jwtSecret,
    ...(previousJwtSecret !== undefined && { previousJwtSecret }),
  });
  running.push(app);
  return app;
}

async function isSignedIn(app: TestApp, headers: Record<string, string>): Promise<boolean> {
  return (await app.graphql(SESSION, { headers })).data?.session !== null;
}

function login(app: TestApp, password: string, device = ''): Promise<GraphqlAnswer> {
  const variables = { username: ACCOUNT.username, password };
  return app.graphql(LOGIN, { variables, headers: { cookie: device } });
}

function deviceIn({ headers }: GraphqlAnswer): string {
  const cookie = headers.getSetCookie().find((line) => line.startsWith('device='));
  return cookie?.split(';')[0] ?? '';
}

describe('with JWT_SECRET_PREVIOUS', () => {
  test('whoever is signed in stays signed in, makes tokens and can sign out', async () => {
    const headers = await before.bearer();
    const after = await instance(NEW, OLD);
    expect(await isSignedIn(after, headers)).toBe(true);
    expect((await after.graphql(CREATE_TOKEN, { headers })).data?.createToken).toMatchObject({
      company: ACCOUNT.company,
    });
    await after.graphql(LOGOUT, { headers });
    expect(await isSignedIn(after, headers)).toBe(false);
    expect(await isSignedIn(before, headers)).toBe(false);
  });

  test('who signs in now stays signed in once the previous secret is dropped, and only then', async () => {
    const old = await before.bearer();
    const now = await (await instance(NEW, OLD)).bearer();
    const later = await instance(NEW);
    expect(await isSignedIn(later, now)).toBe(true);
    expect(await isSignedIn(later, old)).toBe(false);
    expect(await isSignedIn(before, now)).toBe(false);
  });

  test('instances that have the two secrets the other way round believe each other', async () => {
    const [prepared, changed] = [await instance(OLD, NEW), await instance(NEW, OLD)];
    expect(await isSignedIn(changed, await prepared.bearer())).toBe(true);
    expect(await isSignedIn(prepared, await changed.bearer())).toBe(true);
  });

  test('a known browser stays known, and by the new secret after its next sign-in', async () => {
    const old = deviceIn(await login(before, ACCOUNT.password));
    const after = await instance(NEW, OLD);
    for (let guess = 0; guess < 5; guess += 1) await login(after, 'adivinanza');
    const signedIn = await login(after, ACCOUNT.password, old);
    expect(signedIn.data?.login).toMatchObject({ company: ACCOUNT.company });

    const later = await instance(NEW);
    for (let guess = 0; guess < 5; guess += 1) await login(later, 'adivinanza');
    expect((await login(later, ACCOUNT.password, old)).errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    const again = await login(later, ACCOUNT.password, deviceIn(signedIn));
    expect(again.data?.login).toMatchObject({ company: ACCOUNT.company });
  });
});
