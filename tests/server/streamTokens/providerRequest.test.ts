import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { readProxies } from '../../../server/config/proxies.ts';
import { ProviderAbsent } from '../../../server/streamTokens/providerErrors.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { egressProxy } from '../../support/egressProxy.ts';
import {
  answer,
  answerWith,
  failureOf,
  HTML,
  mediaProvider,
  PAGE,
  providerAt,
  resetConnection,
  TIMEOUT_MS,
  TOKEN,
  unavailable,
} from './mediaProvider.ts';

const GZIP = { 'content-encoding': 'gzip' };
const PAGE_LIMIT_BYTES = 64 * 1024;
const badAnswer = (reason: string) => unavailable(reason, 'PROVIDER_BAD_ANSWER');

/** Begins an answer, then writes a blank every few milliseconds for as long as the connection lasts. */
const dripping =
  (headers = HTML): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  };

const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });

afterEach(() => void vi.useRealTimers());

test('the page is requested by a plain GET', async () => {
  const asked: unknown[] = [];
  const { port } = await mediaProvider((request, response) => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    asked.push([request.method, request.url, headers]);
    answer(request, response);
  });
  expect(await providerAt(port).fetchToken()).toBe(TOKEN);
  const headers = {
    accept: 'text/html',
    'accept-encoding': 'identity',
    'cache-control': 'no-cache',
    pragma: 'no-cache',
    'user-agent': 'audio-oficial-premium',
  };
  expect(asked).toEqual([['GET', '/audio?key=value', headers]]);
});

test("the URL's user and password become Basic authorization", async () => {
  const { port } = await mediaProvider((request, response) => {
    const wanted = `Basic ${Buffer.from('secret-user:secret-p@ss%:ñ').toString('base64')}`;
    if (request.headers.authorization === wanted) answer(request, response);
    else response.writeHead(401).end();
  });
  expect(await providerAt(port, { user: 'secret-user:secret-p%40ss%25:%C3%B1@' }).fetchToken()).toBe(TOKEN);
});

test.each([
  ['XHTML', PAGE, { 'content-type': 'application/xhtml+xml' }],
  ['of no type', PAGE, {}],
  ['compressed although it was asked not to be', gzipSync(PAGE), GZIP],
  ['deflated with a header', deflateSync(PAGE), { 'content-encoding': 'Deflate' }],
  ['deflated without a header', deflateRawSync(PAGE), { 'content-encoding': 'deflate' }],
  ['brotli', brotliCompressSync(PAGE), { 'content-encoding': 'br' }],
  ['compressed twice', brotliCompressSync(gzipSync(PAGE)), { 'content-encoding': 'x-gzip, br' }],
  ['compressed without an end', gzipSync(PAGE).subarray(0, -8), GZIP],
  ['of the coding UTF-8', PAGE, { 'content-encoding': 'UTF-8' }],
  ['of the coding none', PAGE, { 'content-encoding': 'none' }],
  ['of an empty coding', PAGE, { 'content-encoding': '' }],
  ['not UTF-8', Buffer.from(`señal${PAGE}`, 'latin1'), { 'content-type': 'TEXT/plain; charset=latin1' }],
  ['longer than what is read of it', PAGE.padEnd(PAGE_LIMIT_BYTES + 1), HTML],
  ['longer once decompressed', gzipSync(PAGE.padEnd(10_000_000)), GZIP],
  [
    'longer once decompressed from brotli',
    brotliCompressSync(PAGE.padEnd(10_000_000)),
    { 'content-encoding': 'br' },
  ],
  ['longer while it is compressed', gzipSync(PAGE + randomBytes(300_000).toString('hex')), GZIP],
  ['up to the last byte that is read', `${' '.repeat(PAGE_LIMIT_BYTES - PAGE.length)}${PAGE} `, HTML],
])('a page is read that is %s', async (_sentence, body, headers) => {
  const { port } = await mediaProvider(answerWith(body, headers));
  expect(await providerAt(port).fetchToken()).toBe(TOKEN);
});

test.each<[sentence: string, body: string | Buffer, headers: Record<string, string>, reason: string]>([
  ['has no link', '<p>Mantenimiento</p>', HTML, 'no usable link'],
  ['is JSON', JSON.stringify({ html: PAGE }), { 'content-type': 'application/json' }, 'not a text'],
  [
    'has its link too late',
    `${' '.repeat(PAGE_LIMIT_BYTES)}${PAGE}`,
    HTML,
    'no usable link in the first 65536 bytes',
  ],
  [
    'is cut off in its link',
    PAGE.padStart(PAGE_LIMIT_BYTES + PAGE.length - PAGE.indexOf(TOKEN) - 4),
    HTML,
    'no usable link in the first 65536 bytes',
  ],
  ['is not compressed as it says', PAGE, GZIP, 'content encoding gzip: Z_DATA_ERROR'],
  [
    'is of an unknown coding',
    gzipSync(PAGE),
    { 'content-encoding': 'ZSTD' },
    'content encoding zstd cannot be read',
  ],
  ['is not compressed, and says so', '', { 'content-encoding': 'identity' }, 'no usable link in the page'],
  ['names a coding that is none', '', { 'content-encoding': 'no ne' }, 'no usable link in the page'],
])('an answer that %s is bad', async (_sentence, body, headers, reason) => {
  const { port, seen } = await mediaProvider(answerWith(body, headers));
  expect(await failureOf(providerAt(port))).toMatchObject(badAnswer(reason));
  expect(seen.requests).toBe(1);
});

test('a page without end is read up to the limit, and its connection given up', async () => {
  let connectionClosed: Promise<unknown> | undefined;
  const { port } = await mediaProvider((_request, response) => {
    connectionClosed = once(response, 'close');
    response.writeHead(200, HTML).write(PAGE.padEnd(PAGE_LIMIT_BYTES));
  });
  expect(await providerAt(port).fetchToken()).toBe(TOKEN);
  await connectionClosed;
});

test('a sound without end is given up with its connection', async () => {
  let connectionClosed: Promise<unknown> | undefined;
  const { port } = await mediaProvider((request, response) => {
    connectionClosed = once(response, 'close');
    dripping({ 'content-type': 'audio/mpeg' })(request, response);
  });
  expect(await failureOf(providerAt(port))).toMatchObject(badAnswer('not a text'));
  await connectionClosed;
});

test.each([
  [302, 'status', false],
  [401, 'credentials', false],
  [403, 'credentials', false],
  [500, 'status', true],
])('the status %i is PROVIDER_UNAVAILABLE', async (status, kind, isAbsence) => {
  const { port, seen } = await mediaProvider(answerWith(PAGE, { ...HTML, location: '/elsewhere' }, status));
  const failure = await failureOf(providerAt(port));
  expect(failure).toMatchObject({ ...unavailable(`status ${status}`), kind });
  expect(failure instanceof ProviderAbsent).toBe(isAbsence);
  expect(seen.requests).toBe(1);
});

test('a port where nothing listens is an absence', async () => {
  const { server, port } = await mediaProvider(answer);
  server.close();
  const failure = await failureOf(providerAt(port));
  expect(failure).toMatchObject({ ...unavailable('ECONNREFUSED'), kind: 'connection' });
  expect(failure).toBeInstanceOf(ProviderAbsent);
});

test.each([
  ['a head without a colon', `broken header ${TOKEN}`, 'Invalid header token'],
  ['a head with a bare LF', `server: x\ny: ${TOKEN}`, 'Missing expected CR after header value'],
  ['a head with a control character', `server: x\u0001${TOKEN}`, 'Invalid header value char'],
  ['an endless head', `endless: ${TOKEN.repeat(2_000)}`, 'Headers Overflow Error'],
])('%s is no absence, and told in the words of the parser', async (_sentence, head, words) => {
  const bytes = `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${PAGE}`;
  const { port } = await mediaProvider(({ socket }) => void socket.end(bytes));
  const failure = await failureOf(providerAt(port));
  expect(failure).toMatchObject(unavailable(`^not HTTP: .*${words}[^/]*$`));
  expect(String(Object(failure).cause.message)).not.toContain(TOKEN);
  expect(failure).not.toBeInstanceOf(ProviderAbsent);
});

test.each([
  ['begins', () => {}],
  ['ends', dripping()],
])('an answer that never %s is given up in time', async (_sentence, way) => {
  stopTime();
  const { server, port, seen } = await mediaProvider(way);
  const answered = vi.fn();
  const failure = failureOf(providerAt(port)).finally(answered);
  const [{ socket }, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const connectionClosed = new Promise((resolve) => socket.once('close', resolve));
  while (response.headersSent && socket.bytesWritten < 1_000) await nextTurn();
  vi.advanceTimersByTime(TIMEOUT_MS - 1);
  await nextTurn();
  expect(answered).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  const said = unavailable(`no whole answer within ${TIMEOUT_MS} ms`);
  expect(await failure).toMatchObject({ ...said, kind: 'timeout' });
  await connectionClosed;
  expect(seen.requests).toBe(1);
});

test('a kept connection that fails before any answer is replaced once', async () => {
  const cut = resetConnection;
  const { port, seen } = await mediaProvider(answer, answer, cut, answer, cut, cut, answer);
  const provider = providerAt(port);
  for (let count = 0; count < 3; count++) {
    expect(await provider.fetchToken()).toBe(TOKEN);
    await nextTurn();
  }
  expect(seen).toEqual({ requests: 4, connections: 2 });
  expect(await failureOf(provider)).toMatchObject(unavailable());
  expect(seen).toEqual({ requests: 6, connections: 3 });
});

test('a connection that is kept is a minute old at most', async () => {
  const startMs = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  const { port, seen } = await mediaProvider(answer);
  const provider = providerAt(port);
  for (const [passedMs, connections] of [
    [0, 1],
    [MINUTE_MS, 1],
    [MINUTE_MS + 1, 2],
  ] as const) {
    vi.setSystemTime(startMs + passedMs);
    expect(await provider.fetchToken()).toBe(TOKEN);
    expect(seen.connections).toBe(connections);
    await nextTurn();
  }
});

test('a request is not repeated once its page has begun', async () => {
  const { port, seen } = await mediaProvider((request, response) => {
    response.writeHead(200, { 'content-length': '5000' });
    response.write(PAGE, () => setImmediate(() => request.socket.resetAndDestroy()));
  });
  expect(await failureOf(providerAt(port))).toMatchObject(unavailable());
  expect(seen.requests).toBe(1);
});

test('closing waits for the request under way', async () => {
  const { port } = await mediaProvider(answer);
  const provider = providerAt(port);
  const underWay = provider.fetchToken();
  await provider.close();
  expect(await underWay).toBe(TOKEN);
});

const PROXIED = 'http://media.example/audio?key=value';
const TUNNELLED = 'https://media.example/audio?key=value';

function proxiedProvider(tokenUrl: string, address: string, timeoutMs = TIMEOUT_MS) {
  const proxies = readProxies({ HTTP_PROXY: address });
  return providerAt(0, { tokenUrl, proxies, timeoutMs });
}

test('a provider over http is asked through the proxy, which need not open a tunnel', async () => {
  const asked: unknown[] = [];
  const { port } = await mediaProvider((request, response) => {
    asked.push([request.method, request.url, request.headers.host, request.headers['proxy-authorization']]);
    answer(request, response);
  });
  const provider = proxiedProvider(PROXIED, `http://user:secret@127.0.0.1:${port}`);
  expect(await provider.fetchToken()).toBe(TOKEN);
  const credentials = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  expect(asked).toEqual([['GET', PROXIED, 'media.example', credentials]]);
});

test('a provider over https is asked through a tunnel, and a refusal of the proxy is told', async () => {
  const proxy = await egressProxy((_request, socket) => void socket.end('HTTP/1.1 407 No\r\n\r\n'));
  const failure = await failureOf(proxiedProvider(TUNNELLED, proxy.address));
  expect(failure).toMatchObject({ ...unavailable('^the proxy answers 407$'), kind: 'connection' });
  expect(proxy.asked).toContain('CONNECT media.example:443');
});

test.each([
  ['a tunnel', TUNNELLED],
  ['a page', PROXIED],
])('a proxy that never answers for %s is given up in time, with its connections', async (_what, tokenUrl) => {
  const ends: Promise<unknown>[] = [];
  const { server } = await mediaProvider(() => {});
  server.on('connection', (socket) => ends.push(once(socket, 'end')));
  server.on('connect', (_request, socket) => socket.resume());
  const { port } = server.address() as AddressInfo;
  const failure = await failureOf(proxiedProvider(tokenUrl, `http://127.0.0.1:${port}`, 300));
  expect(failure).toMatchObject({ ...unavailable('no whole answer within 300 ms'), kind: 'timeout' });
  expect(ends.length).toBeGreaterThan(0);
  await Promise.all(ends);
});
