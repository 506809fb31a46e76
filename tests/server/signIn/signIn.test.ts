import { beforeAll, expect, test } from 'vitest';
import { TOOL_SESSION_LIFETIME_MS } from '../../../server/signIn/sessions.ts';
import { ACCOUNT, LOGIN, provideTestApp } from '../../support/testApp.ts';

const NOW = new Date('2026-11-20T18:00:00.250Z');
const MESSAGES = { username: 'Debes ingresar un correo valido', password: 'Debes ingresar una contraseña' };

const app = provideTestApp({ clock: () => NOW, trustProxy: 1 });
let accountId: string;
beforeAll(async () => {
  accountId = (await app.addAccount(ACCOUNT)).id;
});

test('login sets a session and a device cookie', async () => {
  const { data, errors, headers } = await app.login();
  expect(errors).toBeUndefined();
  // JWTs count in whole seconds.
  const expiry = new Date(NOW.getTime() - 250 + TOOL_SESSION_LIFETIME_MS).toISOString();
  const { jwt } = Object(data?.login);
  expect(data).toEqual({
    login: { id: accountId, accountId, company: 'Radio Uno', expiry, jwt: expect.any(String) },
  });
  const [session, device] = headers.getSetCookie();
  expect(session).toMatch(/^audio_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(session).not.toContain(jwt);
  expect(device).toMatch(/^audio_device=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
});

test('cookies over https are Secure and of this host alone', async () => {
  const { company: _, ...variables } = ACCOUNT;
  const { headers } = await app.graphql(LOGIN, { variables, headers: { 'x-forwarded-proto': 'https' } });
  const expected = /^__Host-audio_(session|device)=[^;]+; .*Path=\/; HttpOnly; Secure; SameSite=Strict$/;
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
});

test.each([
  ['a space after the password', ACCOUNT.username, 'secreto-1 '],
  ['another case in the username', 'Radio@uno.example', ACCOUNT.password],
])('%s does not sign in', async (_name, username, password) => {
  const { data, errors, headers } = await app.login(username, password);
  expect(data).toBeNull();
  expect(errors).toMatchObject([
    { message: 'Credenciales invalidas', extensions: { code: 'INVALID_CREDENTIALS' } },
  ]);
  expect(headers.getSetCookie()).toEqual([]);
});

test.each([
  ['a username with a NUL', 'radio\u0000@uno', ACCOUNT.password, 'username'],
  ['a password of 33 characters', ACCOUNT.username, 'x'.repeat(33), 'password'],
  ['both too short', 'cinco', 'cinco', 'username'],
] as const)('login refuses %s with the form’s message', async (_name, username, password, argument) => {
  const { errors } = await app.login(username, password);
  expect(errors).toMatchObject([
    { message: MESSAGES[argument], extensions: { code: 'BAD_USER_INPUT', argument } },
  ]);
});
