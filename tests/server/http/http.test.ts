import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtClient } from '../../support/build.ts';
import { SESSION, startTestApp, type TestApp } from '../../support/testApp.ts';

const PAGE = '<!doctype html><html lang="es"><head><title>Audio Oficial Premium</title></head>';
const SCRIPT = 'console.log("a built script of the client")';
const ROBOTS = 'User-agent: *\nDisallow: /\n';
const POST_HEAD = 'POST /graphql HTTP/1.1\r\nHost: audio\r\nContent-Type: application/json\r\n';
const QUERY_HEAD = 'POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 26\r\n';
let app: TestApp;
let clientFolder: string;

beforeAll(async () => {
  clientFolder = await mkdtemp(path.join(tmpdir(), 'client-'));
  await mkdir(path.join(clientFolder, 'assets'));
  await writeFile(path.join(clientFolder, 'index.html'), PAGE);
  await writeFile(path.join(clientFolder, 'index.html.br'), brotliCompressSync(PAGE));
  await writeFile(path.join(clientFolder, 'index.html.gz'), gzipSync(PAGE));
  await writeFile(path.join(clientFolder, 'robots.txt'), ROBOTS);
  await writeFile(path.join(clientFolder, 'robots.txt.br'), brotliCompressSync(ROBOTS));
  await writeFile(path.join(clientFolder, 'assets', 'main-abc123.js'), SCRIPT);
  await writeFile(path.join(clientFolder, 'assets', 'main-abc123.js.br'), brotliCompressSync(SCRIPT));
  app = await startTestApp({ clientFolder });
});
afterAll(async () => {
  await app.close();
  await rm(clientFolder, { recursive: true });
});

describe('the client', () => {
  test.each(['/', '/dashboard', '/dashboard?x=1'])(
    '%s answers the page, never cached blindly',
    async (route) => {
      const response = await fetch(app.url + route);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html; charset=utf-8/);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await response.text()).toBe(PAGE);
    },
  );

  test('/dashboard/ leads to /dashboard', async () => {
    const response = await fetch(`${app.url}/dashboard/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/dashboard']);
  });

  test.each(['/%00', '/..%2f..%2fpackage.json', '/assets/../../package.json'])(
    '%s shows no other file',
    async (route) => {
      const response = await fetch(app.url + route, { headers: { accept: 'text/html' } });
      expect([400, 403, 404]).toContain(response.status);
      expect(await response.text()).not.toContain('"dependencies"');
    },
  );

  test('an unknown path is a 404 with the page, or coded JSON for those who take no page', async () => {
    const page = await fetch(`${app.url}/otra`);
    expect([page.status, await page.text()]).toEqual([404, PAGE]);
    const json = await fetch(`${app.url}/otra`, { headers: { accept: 'application/json' } });
    expect([json.status, await json.json()]).toEqual([
      404,
      {
        errors: [{ message: expect.stringContaining('POST to /graphql'), extensions: { code: 'NOT_FOUND' } }],
      },
    ]);
    const posted = await fetch(`${app.url}/otra`, { method: 'POST' });
    expect([posted.status, posted.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
  });

  test.each(['/index.html', '/index.html.br', '/assets/main-abc123.js.br'])(
    '%s is no path of its own, though there is such a file',
    async (route) => {
      const page = await fetch(app.url + route);
      expect([page.status, await page.text()]).toEqual([404, PAGE]);
    },
  );

  test('hashed assets are kept for ever, and sent compressed as they were built', async () => {
    const response = await fetch(`${app.url}/assets/main-abc123.js`, {
      headers: { 'accept-encoding': 'br' },
    });
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('content-type')).toMatch(/javascript/);
    expect(await response.text()).toBe(SCRIPT);
  });
});

describe('the configuration in the page', () => {
  const FIREBASE = { apiKey: 'AIza"&\'<', projectId: 'audio', appId: '1:23:web:45', measurementId: 'G-1' };
  const META =
    '<meta name="firebase-config" content="{&quot;apiKey&quot;:&quot;AIza\\&quot;&amp;\'<&quot;,' +
    '&quot;projectId&quot;:&quot;audio&quot;,&quot;appId&quot;:&quot;1:23:web:45&quot;,' +
    '&quot;measurementId&quot;:&quot;G-1&quot;}" />\n' +
    '<meta name="support-contact" content="A &quot;><script> &amp; a@b.example" />\n' +
    '<meta name="stream-cors" content="on" />\n';
  const CONFIGURED_PAGE = PAGE.replace('</head>', () => `${META}</head>`);
  const CODINGS = ['identity', 'gzip', 'br'];
  let configured: TestApp;

  beforeAll(async () => {
    configured = await startTestApp({
      clientFolder,
      pageConfig: {
        firebaseConfig: FIREBASE,
        supportContact: 'A "><script> & a@b.example',
        streamCors: true,
      },
      databaseUrl: app.databaseUrl,
    });
  });
  afterAll(() => configured.close());

  const get = (site: TestApp, route: string, coding: string) =>
    fetch(site.url + route, { headers: { accept: 'text/html', 'accept-encoding': coding } });

  test.each(CODINGS)('unset, the page is the built one, whoever takes it as %s', async (coding) => {
    for (const route of ['/', '/dashboard', '/otra']) {
      const response = await get(app, route, coding);
      expect(await response.text()).toBe(PAGE);
      expect([...response.headers.values()].join()).not.toMatch(/google|firebase/);
    }
  });

  test.each(CODINGS)('set, the page is the built one plus the config, taken as %s', async (coding) => {
    for (const [route, status] of [
      ['/', 200],
      ['/dashboard', 200],
      ['/otra', 404],
    ] as const) {
      const response = await get(configured, route, coding);
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(CONFIGURED_PAGE);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('vary')).toBe('accept-encoding');
    }
  });

  test.each([
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR ; Q=0.0', null],
    ['brotli, x-gzip', null],
  ])('set, whoever takes %s is sent the page as %s', async (accepted, coding) => {
    const response = await get(configured, '/', accepted);
    expect(response.headers.get('content-encoding')).toBe(coding);
  });

  test('set, pages may load the Google tag and send to Firebase and Analytics, and to nobody else', async () => {
    const policyOf = async (site: TestApp) => {
      const policy = (await fetch(site.url)).headers.get('content-security-policy') ?? '';
      return policy.split(';').map((directive) => directive.trim());
    };
    const [closed, open] = [await policyOf(app), await policyOf(configured)];
    expect(closed).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://stream.example",
      "media-src 'self' https:",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(open.filter((directive) => !closed.includes(directive))).toEqual([
      "script-src 'self' https://www.googletagmanager.com",
      "img-src 'self' data: https://www.googletagmanager.com https://*.google-analytics.com",
      "connect-src 'self' https://stream.example https://firebase.googleapis.com https://firebaseinstallations.googleapis.com " +
        'https://www.googletagmanager.com https://*.google-analytics.com https://*.analytics.google.com',
    ]);
    expect(open).toHaveLength(closed.length);
  });

  test('an http stream may redirect to any http host too', async () => {
    const site = await startTestApp({ streamBaseUrl: 'http://stream.example/audio?wmsAuthSign=' });
    onTestFinished(() => site.close());
    expect((await fetch(site.url)).headers.get('content-security-policy')).toContain(
      "media-src 'self' https: http:;",
    );
  });
});

describe('security headers, for a browser that came by https', () => {
  const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
  let built: TestApp;

  beforeAll(async () => {
    built = await startTestApp({ clientFolder: await builtClient(), trustProxy: 1 });
  });
  afterAll(() => built.close());

  const get = (route: string, headers: Record<string, string> = HTTPS, site = built) =>
    fetch(site.url + route, { headers: { accept: 'text/html', ...headers } });

  test.each(['/', '/otra', '/healthz', '/graphql'])('are on %s, whatever it answers', async (route) => {
    const { headers } = await get(route);
    expect(Object.fromEntries(headers)).toMatchObject({
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*;frame-ancestors 'none'$/),
      'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\)/),
      'content-type': expect.stringContaining('; charset=utf-8'),
    });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  test('an address that cannot be read is answered with nothing that a browser would show or run', async () => {
    const response = await get('/%zz');
    const { status, headers } = response;
    expect([status, (await response.json()).errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test('those for https alone are not sent by plain http, where browsers report them as errors', async () => {
    const { headers } = await get('/', {});
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.has('strict-transport-security')).toBe(false);
    expect(headers.has('cross-origin-opener-policy')).toBe(false);
  });

  test("Apollo Sandbox's page may run Apollo's script, open its frame and ask this server, and nothing else", async () => {
    const sandbox = await startTestApp({
      sandbox: { credentials: null },
      trustProxy: 1,
      databaseUrl: app.databaseUrl,
    });
    try {
      const page = await get('/graphql', HTTPS, sandbox);
      const policy = page.headers.get('content-security-policy')?.split(';');
      expect(policy).toEqual([
        "default-src 'none'",
        expect.stringMatching(
          /^script-src 'sha256-\S+' https:\/\/embeddable-sandbox\.cdn\.apollographql\.com\/v2\/\S+\.js$/,
        ),
        expect.stringMatching(/^style-src 'sha256-\S+'$/),
        "img-src 'self'",
        "connect-src 'self'",
        'frame-src https://sandbox.embed.apollographql.com',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(page.headers.get('cache-control')).toBe('no-store');
    } finally {
      await sandbox.close();
    }
  });

  test('robots and browsers find at the root the files that they look for', async () => {
    const robots = await get('/robots.txt');
    expect([robots.headers.get('content-type'), await robots.text()]).toEqual([
      'text/plain; charset=utf-8',
      'User-agent: *\nAllow: /\n',
    ]);
    const icon = await get('/favicon.ico');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon']);
    expect(Number(icon.headers.get('content-length'))).toBeLessThan(2_000);
  });
});

describe('health', () => {
  test('/healthz says that the process is up', async () => {
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  });

  test('/readyz is 200 with the database and 503 without it', async () => {
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    const lost = await startTestApp({ databaseUrl: 'postgresql://user:canary@127.0.0.1:9/none' });
    try {
      const response = await fetch(`${lost.url}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.text()).not.toContain('canary');
      expect((await fetch(`${lost.url}/healthz`)).status).toBe(200);
      const { errors } = await lost.login();
      expect(errors?.[0]?.extensions.code).toBe('DATABASE_UNAVAILABLE');
      expect(lost.logLines.join('')).toContain('ECONNREFUSED');
      expect(lost.logLines.join('')).not.toMatch(/canary|127\.0\.0\.1:9/);
    } finally {
      await lost.close();
    }
  });
});

describe('Apollo Sandbox', () => {
  const asBrowser = { headers: { accept: 'text/html' } };
  const INTROSPECTION = '{ __schema { queryType { name } } }';

  test('where it is on, GET /graphql is its page with operations prepared, same-origin with the cookie', async () => {
    const credentials = { username: 'demo@radio.example', password: 'demo-premium' };
    const on = await startTestApp({ sandbox: { credentials }, databaseUrl: app.databaseUrl });
    try {
      const response = await fetch(`${on.url}/graphql`, asBrowser);
      const page = await response.text();
      expect(response.status).toBe(200);
      expect(page).toContain('embeddable-sandbox');
      for (const prepared of [
        'mutation SignIn',
        'mutation CreateToken',
        'query Tokens',
        'demo-premium',
        '"includeCookies":true',
      ]) {
        expect(page).toContain(prepared);
      }
      expect((await on.graphql(INTROSPECTION)).errors).toBeUndefined();
    } finally {
      await on.close();
    }
  });

  test('where it is off a browser finds the not-found page, and strangers no introspection', async () => {
    const response = await fetch(`${app.url}/graphql`, asBrowser);
    expect([response.status, await response.text()]).toEqual([404, PAGE]);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const { errors } = await app.graphql(INTROSPECTION);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect((await app.graphql('{ sesion { id } }')).text).not.toContain('Did you mean');
  });
});

describe('a request that no client of ours sends', () => {
  test.each([
    ['TRACE', 'TRACE /graphql HTTP/1.1\r\nHost: audio\r\nCookie: session=canary\r\n\r\n', 404],
    ['two lengths', `${POST_HEAD}Content-Length: 4\r\nContent-Length: 40\r\n\r\n{}{}`, 400],
    [
      'a length and chunks',
      `${POST_HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nCookie: session=canary\r\n\r\n', 400],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: audio\r\nhost: canary\r\n\r\n', 400],
    ...['', 'can ary', '['].map((host): [string, string, number] => [
      `the host "${host}"`,
      `${QUERY_HEAD}Host: ${host}\r\n\r\n{"query":"{ __typename }"}`,
      400,
    ]),
  ])('%s, is refused with a code, and nothing of it comes back', async (_name, request, status) => {
    const answer = await raw(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const code = status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST';
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').errors[0].extensions).toEqual({ code });
    expect(answer).not.toContain('canary');
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s /graphql is told what is allowed instead', async (method) => {
    const response = await fetch(`${app.url}/graphql`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect((await response.json()).errors[0].extensions).toEqual({ code: 'METHOD_NOT_ALLOWED' });
  });
});

describe('a proxy that nobody told of', () => {
  test.each([
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-Proto', 'https'],
  ])('is warned of once, by its %s', async (header, value) => {
    const alone = await startTestApp({ databaseUrl: app.databaseUrl });
    try {
      await fetch(`${alone.url}/healthz`);
      for (let request = 0; request < 3; request += 1)
        await fetch(`${alone.url}/healthz`, { headers: { [header]: value } });
      expect(
        alone.logLines.filter((line) => line.includes('"warn"')).map((line) => JSON.parse(line).msg),
      ).toEqual([
        `${header} arrives although TRUST_PROXY is 0: if a proxy stands in front, set it to the number of them`,
      ]);
    } finally {
      await alone.close();
    }
  });

  test('that is known and names no protocol is told so', async () => {
    const behind = await startTestApp({ databaseUrl: app.databaseUrl, trustProxy: 1 });
    try {
      const response = await fetch(`${behind.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https,' },
        body: '{"query":"{ __typename }"}',
      });
      expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([
        400,
        'BAD_REQUEST',
      ]);
    } finally {
      await behind.close();
    }
  });
});

/** Sends these bytes and returns the answer. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.setEncoding('utf8').write(bytes);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return answer;
}

test('answers of the API are never stored on the way', async () => {
  const { headers } = await app.graphql(SESSION);
  expect(headers.get('cache-control')).toBe('no-store');
});
