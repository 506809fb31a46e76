import { beforeAll, describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  LOGOUT,
  provideTestApp,
  SESSION,
  startTestApp,
  type TestApp,
} from '../../support/testApp.ts';

const STUDIO = 'https://studio.apollographql.com';
const HOSTILE = 'https://hostil.example';

const app = provideTestApp();
let withSandbox: TestApp;
let cookie: string;

beforeAll(async () => {
  withSandbox = await startTestApp({ sandbox: { credentials: null }, databaseUrl: app.databaseUrl });
  await app.addAccount(ACCOUNT);
  cookie = (await app.signIn()).cookie;
  return withSandbox.close;
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

test.each(['text/plain; x="application/json"', 'application/x-www-form-urlencoded', ''])(
  'a mutation posted by another site as %j is refused',
  async (contentType) => {
    const body = Buffer.from(JSON.stringify({ query: LOGOUT }));
    const response = await fromHostilePage('/graphql', {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    expect([400, 415]).toContain(response.status);
  },
);

test.each([
  ['as an image or a link', {}, 400],
  ['with leave of its own', { 'apollo-require-preflight': 'yes' }, 405],
  ['with Authorization', { authorization: 'Bearer x' }, 405],
])('a mutation by GET %s is refused', async (_name, headers, status) => {
  expect((await fromHostilePage(byGet(LOGOUT), { headers })).status).toBe(status);
});

test.each([{}, { authorization: 'Basic eDp5' }, { authorization: '' }])(
  'a query by GET with the cookie beside %j is refused',
  async (headers) => {
    const response = await fromHostilePage(byGet(SESSION), { headers });
    expect(response.status).toBe(400);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  },
);

describe('CORS', () => {
  /** Asks as a browser does before a page of `origin` may send JSON, and then sends it. */
  async function allowanceFor(site: TestApp, origin: string) {
    const preflight = await fetch(`${site.url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    const answer = await fetch(`${site.url}/graphql`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ query: SESSION }),
    });
    return [preflight, answer].map(({ status, headers }) => ({
      status,
      origin: headers.get('access-control-allow-origin'),
      methods: headers.get('access-control-allow-methods'),
      headers: headers.get('access-control-allow-headers'),
      credentials: headers.get('access-control-allow-credentials'),
    }));
  }
  const none = { origin: null, methods: null, headers: null, credentials: null };

  test('allows nobody where Sandbox is off', async () => {
    expect(await allowanceFor(app, STUDIO)).toEqual([
      { status: 404, ...none },
      { status: 200, ...none },
    ]);
  });

  test('allows Apollo Studio where Sandbox is on', async () => {
    const preflight = { status: 204, ...none, origin: STUDIO, methods: 'POST', headers: 'authorization, *' };
    expect(await allowanceFor(withSandbox, STUDIO)).toEqual([
      preflight,
      { status: 200, ...none, origin: STUDIO },
    ]);
  });

  test.each([HOSTILE, `${STUDIO}.hostil.example`])('allows %j nothing', async (origin) => {
    const [preflight, answer] = await allowanceFor(withSandbox, origin);
    expect([preflight?.origin, answer?.origin]).toEqual([null, null]);
  });

  test('keeps caches from mixing up origins', async () => {
    const { headers } = await withSandbox.graphql(SESSION);
    expect([headers.get('vary'), headers.get('cache-control')]).toEqual(['origin', 'no-store']);
  });
});
