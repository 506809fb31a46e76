import { beforeAll, expect, test } from 'vitest';
import { ACCOUNT, LOGOUT, provideTestApp, SESSION, type TestApp } from '../../support/testApp.ts';

const STUDIO = 'https://studio.apollographql.com';
const HOSTILE = 'https://hostil.example';

const app = provideTestApp();
const withSandbox = provideTestApp({
  databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
  sandbox: { credentials: null },
});
let cookie: string;

beforeAll(async () => {
  await app.addAccount(ACCOUNT);
  cookie = (await app.signIn()).cookie;
});

/** Sends a request as a hostile page in the partner's browser, with the cookie; the session must outlive it. */
async function fromHostilePage(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const response = await fetch(app.url + path, {
    ...init,
    headers: { origin: HOSTILE, cookie, ...init.headers },
  });
  const text = await response.text();
  expect((await app.graphql(SESSION, { headers: { cookie } })).data?.session).not.toBeNull();
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(text).not.toContain('Radio Uno');
  return response;
}

const byGet = (query: string) => `/graphql?query=${encodeURIComponent(query)}`;

test.each([
  ['text/plain; x="application/json"', 415],
  ['application/x-www-form-urlencoded', 415],
  ['', 415],
])('a mutation posted by another site as %j is refused', async (type, status) => {
  const body = Buffer.from(JSON.stringify({ query: LOGOUT }));
  const init = { method: 'POST', headers: { 'content-type': type }, body };
  expect((await fromHostilePage('/graphql', init)).status).toBe(status);
});

test.each([
  ['as an image or a link', {}, 400],
  ['with leave of its own', { 'apollo-require-preflight': 'yes' }, 405],
  ['with Authorization', { authorization: 'Bearer x' }, 405],
])('a mutation by GET %s is refused', async (_name, headers, status) => {
  expect((await fromHostilePage(byGet(LOGOUT), { headers })).status).toBe(status);
});

test.each([{}, { authorization: 'Basic eDp5' }])(
  'a query by GET with the cookie beside %j is refused',
  async (headers) => {
    expect((await fromHostilePage(byGet(SESSION), { headers })).status).toBe(400);
  },
);

/** Asks as a browser does before a page of `origin` may send JSON, and then sends it. */
async function allowedOrigins(site: TestApp, origin: string) {
  const preflight = await fetch(`${site.url}/graphql`, { method: 'OPTIONS', headers: { origin } });
  const answer = await site.graphql(SESSION, { headers: { origin } });
  for (const { headers } of [preflight, answer]) {
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
  return [preflight, answer].map(({ headers }) => headers.get('access-control-allow-origin'));
}

test('CORS allows nobody where Sandbox is off', async () => {
  expect(await allowedOrigins(app, STUDIO)).toEqual([null, null]);
});

test('CORS allows Apollo Studio alone where Sandbox is on', async () => {
  expect(await allowedOrigins(withSandbox, STUDIO)).toEqual([STUDIO, STUDIO]);
  const preflight = await fetch(`${withSandbox.url}/graphql`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, *');
  expect(await allowedOrigins(withSandbox, `${STUDIO}.hostil.example`)).toEqual([null, null]);
});

test('CORS keeps caches from mixing up origins', async () => {
  const { headers } = await withSandbox.graphql(SESSION);
  expect([headers.get('vary'), headers.get('cache-control')]).toEqual(['origin', 'no-store']);
});
