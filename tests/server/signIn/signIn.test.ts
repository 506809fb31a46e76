import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '../../../server/signIn/sessions.ts';
import { ACCOUNT, LOGIN, startTestApp, type TestApp } from '../../support/testApp.ts';

const OVER_HTTPS = {
  variables: { username: ACCOUNT.username, password: ACCOUNT.password },
  headers: { 'x-forwarded-proto': 'https' },
};

const MESSAGES = { username: 'Debes ingresar un correo valido', password: 'Debes ingresar una contraseña' };

let app: TestApp;
let accountId: string;

beforeAll(async () => {
  app = await startTestApp();
  accountId = (await app.addAccount(ACCOUNT)).id;
});
afterAll(() => app.close());

describe('login', () => {
  test('answers id, company, expiry and jwt, and sets the session as an HttpOnly cookie', async () => {
    const before = Date.now();
    const { data, errors, headers } = await app.login();

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      login: { id: accountId, company: 'Radio Uno', expiry: expect.any(String), jwt: expect.any(String) },
    });
    const { expiry, jwt } = { expiry: '', jwt: '', ...(data?.login ?? {}) };
    expect(expiry).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const startedAt = Date.parse(expiry) - SESSION_LIFETIME_MS;
    // JWTs count in whole seconds.
    expect(startedAt).toBeGreaterThan(before - 1_000);
    expect(startedAt).toBeLessThanOrEqual(Date.now() + 1_000);
    const [cookie] = headers.getSetCookie();
    expect(cookie).toContain(`session=${jwt};`);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).toMatch(/; Path=\//);
    expect(cookie).not.toMatch(/; Secure/);
  });

  test('over https, behind a proxy that is trusted, the cookie is __Host- and Secure', async () => {
    const behindProxy = await startTestApp({ trustProxy: 1, databaseUrl: app.databaseUrl });
    try {
      const { headers } = await behindProxy.graphql(LOGIN, OVER_HTTPS);
      expect(headers.getSetCookie()[0]).toMatch(
        /^__Host-session=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict/,
      );
    } finally {
      await behindProxy.close();
    }
  });

  test('X-Forwarded-Proto of a client means nothing where no proxy is trusted', async () => {
    const { headers } = await app.graphql(LOGIN, OVER_HTTPS);
    expect(headers.getSetCookie()[0]).toMatch(/^session=/);
  });

  test.each([
    ['another case in the password', ACCOUNT.username, 'Secreto-1'],
    ['a space after the password', ACCOUNT.username, 'secreto-1 '],
    ['another case in the username', 'Radio@uno.example', ACCOUNT.password],
    ['a space before the username', ' radio@uno.example', ACCOUNT.password],
    ['a username that is SQL', "' OR 1=1; --", ACCOUNT.password],
  ])('%s does not sign in: the text must match exactly', async (_name, username, password) => {
    const { data, errors, headers } = await app.login(username, password);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: 'Credenciales invalidas', extensions: { code: 'INVALID_CREDENTIALS' } },
    ]);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test.each([
    ['a username of 5 characters', 'cinco', ACCOUNT.password, 'username'],
    ['an empty username', '', ACCOUNT.password, 'username'],
    ['a username of 33 characters', 'x'.repeat(33), ACCOUNT.password, 'username'],
    ['a username with a NUL', 'radio\u0000@uno', ACCOUNT.password, 'username'],
    ['a username with a line feed', 'radio\n@uno', ACCOUNT.password, 'username'],
    ['half a surrogate pair', 'radio\ud83d@uno', ACCOUNT.password, 'username'],
    ['a password of 5 characters', ACCOUNT.username, 'cinco', 'password'],
    ['a password of 33 characters', ACCOUNT.username, 'x'.repeat(33), 'password'],
    ['both too short', 'cinco', 'cinco', 'username'],
  ] as const)(
    '%s is refused with the message of the form and the name of the argument',
    async (_name, username, password, argument) => {
      const { data, errors } = await app.login(username, password);
      const message = MESSAGES[argument];
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', argument } }]);
    },
  );

  test('usernames and passwords of 6 and of 32 characters sign in', async () => {
    await app.addAccount({ username: 'seis66', password: 'seis66', company: 'Seis' });
    await app.addAccount({ username: 'u'.repeat(32), password: 'ñ'.repeat(32), company: 'Treinta y dos' });
    expect((await app.login('seis66', 'seis66')).data?.login).toMatchObject({ company: 'Seis' });
    expect((await app.login('u'.repeat(32), 'ñ'.repeat(32))).data?.login).toMatchObject({
      company: 'Treinta y dos',
    });
  });
});
