import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNT, LOGOUT, SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';

const STUDIO = 'https://studio.apollographql.com';
const HOSTILE = 'https://hostil.example';

let app: TestApp;
let withSandbox: TestApp;
let cookie: string;

beforeAll(async () => {
  app = await startTestApp();
  withSandbox = await startTestApp({
    sandbox: { credentials: null },
    databaseUrl: app.databaseUrl,
    jwtSecret: app.jwtSecret,
  });
  await app.addAccount(ACCOUNT);
});
afterAll(async () => {
  await withSandbox.close();
  await app.close();
});
beforeEach(async () => {
  cookie = (await app.signIn()).cookie;
});

const isSignedIn = async () => (await app.graphql(SESSION, { headers: { cookie } })).data?.session !== null;

const byGet = (query: string) => `/graphql?query=${encodeURIComponent(query)}`;

/** Sends a request as a hostile page in the partner's browser, in the worst case: with the cookie. */
function fromHostilePage(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  return fetch(app.url + path, { ...init, headers: { origin: HOSTILE, cookie, ...init.headers } });
}

describe('a mutation of another site, posted with the cookie', () => {
  const body = JSON.stringify({ query: LOGOUT });
  const form = `query=${encodeURIComponent(LOGOUT)}`;
  const multipart = `--x\r\ncontent-disposition: form-data; name="query"\r\n\r\n${LOGOUT}\r\n--x--\r\n`;

  test.each([
    ['text/plain', body],
    ['TEXT/PLAIN', body],
    ['text/plain;application/json', body],
    ['text/plain; x="application/json"', body],
    ['application/x-www-form-urlencoded', form],
    ['multipart/form-data; boundary=x', multipart],
    ['multipart/form-data; boundary=application/json', body],
  ])('as a form, as %s: is refused', async (contentType, sent) => {
    const response = await fromHostilePage('/graphql', {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: sent,
    });
    expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await isSignedIn()).toBe(true);
  });

  test.each([null, '', ' ', ';', '*/*', 'text/plain application/json', 'text/plain, application/json'])(
    'as %j, which a browser may send unasked: is refused',
    async (contentType) => {
      const response = await fromHostilePage('/graphql', {
        method: 'POST',
        headers: contentType === null ? {} : { 'content-type': contentType },
        body: Buffer.from(body),
      });
      expect([400, 415]).toContain(response.status);
      expect(await isSignedIn()).toBe(true);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

describe('by GET', () => {
  test.each([
    ['as an image, a script or a link', {}, 400],
    ['by a page with leave of its own', { 'apollo-require-preflight': 'yes' }, 405],
    ['said to be JSON', { 'content-type': 'application/json' }, 405],
    ['with Authorization', { authorization: 'Bearer x' }, 405],
    ['said to be a POST', { 'apollo-require-preflight': 'yes', 'x-http-method-override': 'POST' }, 405],
  ])('a mutation %s is refused', async (_name, headers, status) => {
    const response = await fromHostilePage(byGet(LOGOUT), { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await isSignedIn()).toBe(true);
  });

  test('a mutation hidden behind a query is refused', async () => {
    const path = `${byGet(`query Q ${SESSION} mutation M { logout }`)}&operationName=M`;
    const response = await fromHostilePage(path, { headers: { 'apollo-require-preflight': 'yes' } });
    expect(response.status).toBe(405);
    expect(await isSignedIn()).toBe(true);
  });

  test.each(['Basic eDp5', 'Negotiate x', ''])(
    'a query with the cookie and %j, which a browser may send unasked, is refused',
    async (authorization) => {
      const response = await fromHostilePage(byGet(SESSION), { headers: { authorization } });
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.not.stringContaining('Radio Uno'),
      ]);
    },
  );

  test('a query, as an image or a script, is not answered: nothing can be timed or included', async () => {
    const response = await fromHostilePage(byGet(SESSION));
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('Radio Uno');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('leave to read our answers (CORS)', () => {
  const OTHERS = [
    HOSTILE,
    'null',
    'http://studio.apollographql.com',
    'https://studio.apollographql.com.hostil.example',
    'https://studio.apollographql.com:8443',
  ];

  /** Asks as a browser does before a page of `origin` may send JSON, and then sends it. */
  async function leaveFor(site: TestApp, origin: string) {
    const preflight = await fetch(`${site.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    const answer = await fetch(`${site.url}/graphql`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ query: SESSION }),
    });
    return [preflight, answer].map(({ status, headers }) => ({
      status,
      origin: headers.get('access-control-allow-origin'),
      headers: headers.get('access-control-allow-headers'),
      credentials: headers.get('access-control-allow-credentials'),
    }));
  }

  test.each([HOSTILE, STUDIO])('has nobody where Sandbox is off: not %j', async (origin) => {
    const none = { origin: null, headers: null, credentials: null };
    expect(await leaveFor(app, origin)).toEqual([
      { status: 404, ...none },
      { status: 200, ...none },
    ]);
  });

  test('has Apollo Studio where Sandbox is on, without credentials', async () => {
    const leave = { origin: STUDIO, credentials: null };
    expect(await leaveFor(withSandbox, STUDIO)).toEqual([
      { status: 204, ...leave, headers: 'authorization, *' },
      { status: 200, ...leave, headers: null },
    ]);
  });

  test('has Apollo Studio for refusals too, which a developer wants to read', async () => {
    const response = await fetch(`${withSandbox.url}/graphql`, {
      method: 'POST',
      headers: { origin: STUDIO, 'content-type': 'application/json' },
      body: '{',
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([400, STUDIO]);
  });

  test.each(OTHERS)('has nobody else where Sandbox is on: not %j', async (origin) => {
    for (const { origin: allowed, credentials } of await leaveFor(withSandbox, origin)) {
      expect([allowed, credentials]).toEqual([null, null]);
    }
  });

  test('differs by who asks, so no cache may mix answers up', async () => {
    const { headers } = await withSandbox.graphql(SESSION);
    expect(headers.get('vary')).toContain('origin');
  });

  test.each(['/', '/healthz'])('is for the API alone, not for %s', async (path) => {
    const { headers } = await fetch(withSandbox.url + path, { headers: { origin: STUDIO } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('the session’s cookie lasts for about 12 hours, whatever the clock of the browser says', async () => {
  const [cookie] = (await app.login()).headers.getSetCookie();
  expect(cookie).toMatch(/; Max-Age=43[12]\d\d;/);
  expect(cookie).not.toContain('Expires');
});

test('both cookies stay at home: SameSite=Strict, HttpOnly, for no other host', async () => {
  const cookies = (await app.login()).headers.getSetCookie();
  expect(cookies.map((line) => line.split('=')[0])).toEqual(['session', 'device']);
  for (const line of cookies) {
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  }
});
