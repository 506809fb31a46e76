import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import type { FirebaseConfig } from '../../../server/config/config.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { write } from '../../support/temporaryFolder.ts';
import { provideTestApp } from '../../support/testApp.ts';

const PAGE = '<!doctype html><html lang="es"><head><title>Audio Oficial Premium</title></head>';
const DOC_PAGE = '<!doctype html><title>The API</title>';
const SCRIPT = 'console.log("a built script of the client")';
const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

const NO_DATABASE = 'postgresql://user@127.0.0.1:9/none';
const clientFolder = mkdtempSync(path.join(tmpdir(), 'client-'));
write(clientFolder, 'index.html', PAGE);
write(clientFolder, 'docs/api.html', DOC_PAGE);
write(clientFolder, 'assets/main-abc123.js', SCRIPT);
write(clientFolder, 'assets/main-abc123.js.br', brotliCompressSync(SCRIPT));
afterAll(() => rmSync(clientFolder, { recursive: true }));

const app = provideTestApp({ clientFolder, trustProxy: 1 });
const configured = provideTestApp({
  clientFolder,
  databaseUrl: NO_DATABASE,
  trustProxy: 1,
  sandbox: { credentials: { username: 'demo@radio.example', password: 'demo-premium' } },
  pageConfig: {
    firebaseConfig: { apiKey: 'AIza"&\'<' } as FirebaseConfig,
    supportContact: 'A "><script> & a@b.example',
    streamCors: true,
  },
});
const twoProxies = provideTestApp({ databaseUrl: NO_DATABASE, trustProxy: 2 });
const lost = provideTestApp({
  databaseUrl: NO_DATABASE,
  streamBaseUrl: 'http://stream.example/audio?wmsAuthSign=',
});

/** Not by `fetch`, which says in `sec-fetch-mode` that a page asks. */
async function get(route: string, headers: Record<string, string> = {}, site = app): Promise<Response> {
  const sent = { accept: 'text/html', ...headers };
  const { statusCode: status, headers: answered, body } = await request(site.url + route, { headers: sent });
  return new Response(await body.arrayBuffer(), {
    status,
    headers: new Headers(answered as Record<string, string>),
  });
}
async function refusalOf(response: Response): Promise<string> {
  return `${response.status} ${(await response.json()).errors[0].extensions.code}`;
}
const policyOf = (response: Response) => response.headers.get('content-security-policy')?.split(';') ?? [];

test.each([
  ['/', 200],
  ['/dashboard?x=1', 200],
  ['/otra', 404],
  ['/index.html', 404],
  ['/assets/main-abc123.js.br', 404],
])('the client has its page at %s', async (route, status) => {
  const response = await get(route);
  expect([response.status, await response.text()]).toEqual([status, PAGE]);
  expect(response.headers.get('content-type')).toMatch(/^text\/html; charset=utf-8/);
  expect(response.headers.get('cache-control')).toBe('no-cache');
});

test.each([
  { 'if-none-match': '*' },
  { 'if-none-match': 'W/"1-2"', 'if-modified-since': new Date().toUTCString() },
  { range: 'bytes=0-1' },
])('a page that does not exist is sent whole to a browser that asks with %j', async (headers) => {
  const [kept] = [(await get('/')).headers.get('etag') ?? ''];
  for (const asked of [headers, { ...headers, 'if-none-match': kept }]) {
    const response = await get('/otra', asked);
    expect([response.status, await response.text()]).toEqual([404, PAGE]);
    expect([response.headers.get('etag'), response.headers.get('last-modified')]).toEqual([null, null]);
  }
});

test('the client has the page about the API at /docs/api', async () => {
  const response = await get('/docs/api');
  expect([response.status, await response.text()]).toEqual([200, DOC_PAGE]);
});

test('the client redirects from /dashboard/ to /dashboard', async () => {
  const response = await get('/dashboard/');
  expect([response.status, response.headers.get('location')]).toEqual([308, '/dashboard']);
});

test.each([
  ['a program', { headers: { accept: 'application/json' } }],
  ['a POST', { method: 'POST' }],
])('the client answers %s at an unknown path with coded JSON', async (_what, init) => {
  expect(await refusalOf(await fetch(`${app.url}/otra`, init))).toBe('404 NOT_FOUND');
});

test('the client sends hashed assets to be kept for ever', async () => {
  const response = await fetch(`${app.url}/assets/main-abc123.js`, { headers: { 'accept-encoding': 'br' } });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    vary: 'accept-encoding',
    'content-type': expect.stringContaining('javascript'),
  });
  expect(await response.text()).toBe(SCRIPT);
});

const META =
  '<meta name="firebase-config" content="{&quot;apiKey&quot;:&quot;AIza\\&quot;&amp;\'<&quot;}" />\n' +
  '<meta name="support-contact" content="A &quot;><script> &amp; a@b.example" />\n' +
  '<meta name="stream-cors" content="on" />\n';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['identity', null],
])('the configured page is sent to a browser that accepts %s as %s', async (accepted, coding) => {
  const response = await fetch(configured.url, { headers: { 'accept-encoding': accepted } });
  expect(await response.text()).toBe(PAGE.replace('</head>', () => `${META}</head>`));
  expect(response.headers.get('content-encoding')).toBe(coding);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  });
});

test('security headers over https are complete', async () => {
  const { headers } = await get('/', HTTPS);
  expect(Object.fromEntries(headers)).toMatchObject({
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(/^default-src 'none';.*;frame-ancestors 'none'$/),
    'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\)/),
  });
  expect(headers.has('access-control-allow-origin')).toBe(false);
});

test('security headers over plain http lack those that browsers report there as errors', async () => {
  const names = [...(await get('/')).headers.keys()].join();
  expect(names).not.toMatch(/strict-transport-security|cross-origin-opener-policy/);
});

test('security headers of an unreadable path let a browser run nothing', async () => {
  const response = await get('/%zz');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(policyOf(response)).toEqual(["default-src 'none'", " frame-ancestors 'none'"]);
  expect(await refusalOf(response)).toBe('400 BAD_REQUEST');
});

test('security headers allow this origin, and a stream and its redirects over https', async () => {
  expect(policyOf(await get('/'))).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self' https:",
    "media-src 'self' https:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
});

test('security headers allow Google Analytics where it is configured', async () => {
  const closed = policyOf(await get('/'));
  const open = policyOf(await get('/', {}, configured));
  expect(open.filter((directive) => !closed.includes(directive))).toEqual([
    "script-src 'self' https://www.googletagmanager.com",
    "img-src 'self' data: https://www.googletagmanager.com https://*.google-analytics.com",
  ]);
  expect(open).toHaveLength(closed.length);
});

test('security headers let an http stream redirect to any http host', async () => {
  const sources = "'self' https: http:";
  const policy = policyOf(await get('/', {}, lost));
  expect(policy).toEqual(expect.arrayContaining([`connect-src ${sources}`, `media-src ${sources}`]));
});

test('GET /graphql in a browser is Apollo Sandbox with a policy of its own', async () => {
  const response = await get('/graphql', {}, configured);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(policyOf(response)).toEqual([
    "default-src 'none'",
    expect.stringMatching(/^script-src 'sha256-\S+' https:\/\/embeddable-sandbox\.\S+\.js$/),
    expect.stringMatching(/^style-src 'sha256-\S+'$/),
    "img-src 'self'",
    "connect-src 'self'",
    'frame-src https://sandbox.embed.apollographql.com',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test('GET /graphql in a browser is the not-found page where Sandbox is off', async () => {
  const response = await get('/graphql');
  expect([response.status, await response.text()]).toEqual([404, PAGE]);
});

const JAVA = 'text/html, image/gif, image/jpeg, */*; q=0.2';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each<[what: string, headers: Record<string, string>, isPage: boolean]>([
  ['that navigates', { accept: '*/*', 'sec-fetch-mode': 'navigate' }, true],
  ['whose page asks', { accept: BROWSER, 'sec-fetch-mode': 'cors' }, false],
  ['over plain http', { accept: BROWSER }, true],
  ['that prefers JSON', { accept: 'application/json, text/html;q=0.9' }, false],
  ['that accepts both alike', { accept: 'text/html, */*' }, false],
  ['that accepts JSON least', { accept: 'application/json;q=0.1, TEXT/*;q=0.2, */*;q=0.1' }, true],
  ['in Java', { accept: JAVA }, true],
  ['in Java with a key', { accept: JAVA, authorization: 'Bearer x' }, false],
  ['that accepts only HTML and has a key', { accept: 'text/html', authorization: 'bearer x' }, false],
])('of a GET by a caller %s with %j it is %j that it gets a page', async (_what, headers, isPage) => {
  for (const route of ['/otra', '/graphql?query={__typename}']) {
    for (const site of [app, configured]) {
      const { status, headers: answered } = await get(route, headers, site);
      expect([status === 406, answered.get('content-type')?.startsWith('text/html')]).toEqual([
        false,
        isPage,
      ]);
    }
  }
});

test('without the database only /readyz fails', async () => {
  const ready = await get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  const response = await get('/readyz', {}, lost);
  expect([response.status, await response.json()]).toEqual([503, { status: 'database unreachable' }]);
  expect((await get('/healthz', {}, lost)).status).toBe(200);
  expect(lost.logLines.join('')).toContain('ECONNREFUSED');
});

test.each([
  ['no host', 'Cookie: audio_session=canary', 'The Host header is missing'],
  ['two hosts', 'Host: audio\r\nhost: canary', 'There are several Host headers'],
  ['a command as host', 'Host: x$(canary);y', 'The Host header is not a name'],
  [
    'a protocol that its proxy does not name',
    'Host: audio\r\nX-Forwarded-Proto: https,',
    'The X-Forwarded-Proto header',
  ],
])('a request with %s is refused, and told why', async (_name, headers, said) => {
  const request = `GET /healthz HTTP/1.1\r\nConnection: close\r\n${headers}\r\n\r\n`;
  const answer = await (await sendRaw(app.url, request)).answer;
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  const [error] = JSON.parse(answer.split('\r\n\r\n')[1] ?? '').errors;
  expect(error.extensions).toEqual({ code: 'BAD_REQUEST' });
  expect(error.message).toContain(said);
  expect(error.message).not.toContain('canary');
});

test('a request of HTTP/1.0 needs no host', async () => {
  const { answer } = await sendRaw(app.url, 'GET /healthz HTTP/1.0\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
});

test('another method on /graphql is told the allowed ones', async () => {
  const response = await fetch(`${app.url}/graphql`, { method: 'PUT' });
  expect(response.headers.get('allow')).toBe('GET, POST');
  expect(await refusalOf(response)).toBe('405 METHOD_NOT_ALLOWED');
});

test('an unknown proxy is warned of once', async () => {
  for (let request = 0; request < 3; request += 1) {
    await get('/healthz', { 'X-Forwarded-Proto': 'https' }, lost);
  }
  expect(lost.logLines.filter((line) => line.includes('although TRUST_PROXY is 0'))).toEqual([
    expect.stringContaining('X-Forwarded-Proto'),
  ]);
});

test('fewer addresses than trusted proxies are warned of once', async () => {
  const direct = { 'x-forwarded-for': '203.0.113.7' };
  await get('/healthz', {}, twoProxies);
  await get('/otra', { 'x-forwarded-for': '203.0.113.7, 192.0.2.10' }, twoProxies);
  for (let request = 0; request < 3; request += 1) await get('/otra', direct, twoProxies);
  expect(twoProxies.logLines.filter((line) => line.includes('although TRUST_PROXY is 2'))).toEqual([
    expect.stringContaining('holds 1 address '),
  ]);
});
