import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import { createStreamProvider, type StreamProvider } from '../../../server/streamTokens/provider.ts';

const TOKEN = 'c2VjcmV0LXRva2Vu';
const PAGE = `<html><a href="https://stream.example/live?wmsAuthSign=${TOKEN}">secret-page</a></html>`;
const PAGE_LIMIT_BYTES = 64 * 1024;
const SHORT_MS = 150;
/** What may stand in no error and no log line. */
const SECRETS = [TOKEN, 'secret-', 'wmsAuthSign', 'stream.example', '127.0.0.1', 'localhost'];

const closers: (() => unknown)[] = [];
const warnings: string[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  for (const line of warnings.splice(0)) expectNoSecret(line);
});

function providerAt(port: number, { timeoutMs = 5_000, scheme = 'http', user = '' } = {}): StreamProvider {
  const provider = createStreamProvider({
    tokenUrl: `${scheme}://${user}127.0.0.1:${port}/secret-path?key=secret-key`,
    authSignParameter: 'wmsAuthSign',
    log: { warn: (message) => warnings.push(message) },
    timeoutMs,
  });
  closers.push(() => provider.close());
  return provider;
}

async function listening(server: Server | TcpServer, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return address.port;
}

/** A media provider that answers each request in turn by the next listener, and by the last from then on. */
async function mediaProvider(...listeners: [RequestListener, ...RequestListener[]]) {
  const seen = { requests: 0, connections: 0 };
  const server = createServer((request, response) => {
    const listener = listeners[Math.min(seen.requests, listeners.length - 1)];
    seen.requests += 1;
    listener?.(request, response);
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  const port = await listening(server);
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port, seen };
}

const answerWith =
  (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'text/html' },
    status = 200,
  ): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
const answer = answerWith(PAGE);
const resetConnection: RequestListener = (request) => request.socket.resetAndDestroy();

/** Writes for as long as the connection lasts. */
function dripping(response: ServerResponse, chunk: string, everyMs: number): void {
  const timer = setInterval(() => response.write(chunk), everyMs);
  response.on('close', () => clearInterval(timer));
}

async function failureOf(provider: StreamProvider): Promise<CodedError> {
  const error = await provider.fetchToken().then(
    () => new Error('it answered'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof CodedError)) throw error;
  expectNoSecret(inspect(error, { depth: 9, showHidden: true }));
  expectNoSecret(JSON.stringify(error));
  return error;
}

function expectNoSecret(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

const UNAVAILABLE = { code: 'PROVIDER_UNAVAILABLE', message: 'The media provider is not available' };
const BAD_ANSWER = { code: 'PROVIDER_BAD_ANSWER', message: 'The media provider gave no usable answer' };
const because = (reason: string | RegExp) => ({
  cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
});

describe('a new token', () => {
  test('is the one in the page that a GET without payload answers', async () => {
    const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
    const { port } = await mediaProvider((request, response) => {
      asked.push(request);
      answer(request, response);
    });
    expect(await providerAt(port).fetchToken()).toBe(TOKEN);
    expect(asked).toMatchObject([
      {
        method: 'GET',
        url: '/secret-path?key=secret-key',
        headers: { accept: 'text/html', 'accept-encoding': 'identity' },
      },
    ]);
    const headers = Object.keys(asked[0]?.headers ?? {});
    for (const name of ['content-length', 'transfer-encoding', 'authorization', 'cookie']) {
      expect(headers).not.toContain(name);
    }
  });

  test.each([
    ['declares no content type', PAGE, {}],
    ['is XHTML', PAGE, { 'content-type': 'application/xhtml+xml' }],
    ['is plain text', PAGE, { 'content-type': 'TEXT/plain; charset=utf-8' }],
    ['is compressed although it was asked not to be', gzipSync(PAGE), { 'content-encoding': 'gzip' }],
    ['is deflated although it was asked not to be', deflateSync(PAGE), { 'content-encoding': 'deflate' }],
    ['is not UTF-8', Buffer.from(`señal${PAGE}`, 'latin1'), { 'content-type': 'text/html' }],
    ['is as large as allowed', PAGE.padEnd(PAGE_LIMIT_BYTES), { 'content-type': 'text/html' }],
  ])('is found in a page that %s', async (_sentence, body, headers) => {
    const { port } = await mediaProvider(answerWith(body, headers));
    expect(await providerAt(port).fetchToken()).toBe(TOKEN);
  });

  test('is found in a page that comes in pieces', async () => {
    const { port } = await mediaProvider((_request, response) => {
      response.write(PAGE.slice(0, 60), () => setImmediate(() => response.end(PAGE.slice(60))));
    });
    expect(await providerAt(port).fetchToken()).toBe(TOKEN);
  });

  test('comes over the same connection as the one before', async () => {
    const { port, seen } = await mediaProvider(answer);
    const provider = providerAt(port);
    for (let count = 0; count < 5; count++) {
      expect(await provider.fetchToken()).toBe(TOKEN);
      await nextTurn();
    }
    expect(seen).toEqual({ requests: 5, connections: 1 });
  });

  test('takes its turn when many are asked for at once', async () => {
    const { port, seen } = await mediaProvider(answer);
    const provider = providerAt(port);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => provider.fetchToken()));
    expect(new Set(tokens)).toEqual(new Set([TOKEN]));
    expect(seen.requests).toBe(100);
    expect(seen.connections).toBeLessThanOrEqual(64);
  });

  test('is asked for with the user and password of the URL', async () => {
    const { port } = await mediaProvider((request, response) => {
      const wanted = `Basic ${Buffer.from('secret-user:secret-p@ss%:ñ').toString('base64')}`;
      if (request.headers.authorization === wanted) answer(request, response);
      else response.writeHead(401).end();
    });
    const withPassword = (password: string) => providerAt(port, { user: `secret-user:${password}@` });
    expect(await withPassword('secret-p%40ss%25:%C3%B1').fetchToken()).toBe(TOKEN);
    expect(await failureOf(withPassword('secret-wrong'))).toMatchObject(UNAVAILABLE);
  });
});

describe('the provider is unavailable', () => {
  test.each([301, 302, 307, 400, 401, 403, 404, 429, 500, 503])('when it answers %i', async (status) => {
    const { port, seen } = await mediaProvider(
      answerWith(PAGE, { 'content-type': 'text/html', location: '/elsewhere' }, status),
      answer,
    );
    expect(await failureOf(providerAt(port))).toMatchObject({
      ...UNAVAILABLE,
      ...because(`status ${status}`),
    });
    expect(seen.requests).toBe(1);
  });

  test('when nothing listens', async () => {
    const { server, port } = await mediaProvider(answer);
    await new Promise((closed) => server.close(closed));
    expect(await failureOf(providerAt(port))).toMatchObject({ ...UNAVAILABLE, ...because('ECONNREFUSED') });
  });

  test('until it is back', async () => {
    const { server, port } = await mediaProvider(answer);
    const provider = providerAt(port);
    expect(await provider.fetchToken()).toBe(TOKEN);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    await listening(server, port);
    expect(await provider.fetchToken()).toBe(TOKEN);
  });

  test('when it never answers, and its connection is given up', async () => {
    let connectionClosed: Promise<unknown> | undefined;
    const { port, seen } = await mediaProvider((request) => {
      connectionClosed = once(request.socket, 'close');
    });
    const start = performance.now();
    const failure = await failureOf(providerAt(port, { timeoutMs: SHORT_MS }));
    expect(failure).toMatchObject({ ...UNAVAILABLE, ...because(`no whole answer within ${SHORT_MS} ms`) });
    expect(performance.now() - start).toBeGreaterThan(SHORT_MS - 5);
    await connectionClosed;
    expect(seen.requests).toBe(1);
  });

  test('when it never ends its answer, however much it goes on writing', async () => {
    let connectionClosed: Promise<unknown> | undefined;
    const { port } = await mediaProvider((_request, response) => {
      connectionClosed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write(PAGE);
      dripping(response, ' ', 10);
    });
    expect(await failureOf(providerAt(port, { timeoutMs: SHORT_MS }))).toMatchObject({
      ...UNAVAILABLE,
      ...because('no whole answer'),
    });
    await connectionClosed;
  });

  test('when it takes the connection and never finishes the TLS handshake', async () => {
    const server = createTcpServer((socket) => {
      closers.push(() => socket.destroy());
    });
    const port = await listening(server);
    closers.push(() => server.close());
    const provider = providerAt(port, { scheme: 'https', timeoutMs: SHORT_MS });
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
  });

  test('in time for those too who wait for a free connection', async () => {
    const { port } = await mediaProvider(() => {});
    const provider = providerAt(port, { timeoutMs: SHORT_MS });
    const failures = await Promise.all(Array.from({ length: 80 }, () => failureOf(provider)));
    for (const failure of failures) {
      expect(failure).toMatchObject({ ...UNAVAILABLE, ...because('no whole answer') });
    }
  });

  test.each([
    ['no HTTP', `secret-greeting ${PAGE}\r\n\r\n`],
    ['a broken head', `HTTP/1.1 200 OK\r\nsecret header ${TOKEN}\r\n\r\n${PAGE}`],
    ['an endless head', `HTTP/1.1 200 OK\r\nx-secret: ${TOKEN.repeat(2_000)}\r\n\r\n${PAGE}`],
    ['a page shorter than it said', `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${PAGE}`],
  ])('when it answers %s', async (_sentence, bytes) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes));
    });
    const port = await listening(server);
    closers.push(() => server.close());
    expect(await failureOf(providerAt(port))).toMatchObject(UNAVAILABLE);
  });

  test('when it cuts the connection within the page, and is asked no second time', async () => {
    const { port, seen } = await mediaProvider(answer, (request, response) => {
      response.writeHead(200, { 'content-length': '5000' });
      response.write(PAGE, () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    const provider = providerAt(port);
    await provider.fetchToken();
    await nextTurn();
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    expect(seen).toEqual({ requests: 2, connections: 1 });
  });

  test('when it cuts a new connection before any answer, and is asked no second time', async () => {
    const { port, seen } = await mediaProvider(resetConnection, answer);
    expect(await failureOf(providerAt(port))).toMatchObject(UNAVAILABLE);
    expect(seen.requests).toBe(1);
  });

  test('when it is closed here', async () => {
    const { port, seen } = await mediaProvider(answer);
    const provider = providerAt(port);
    const underWay = provider.fetchToken();
    await provider.close();
    expect(await underWay).toBe(TOKEN);
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    expect(seen.requests).toBe(1);
  });
});

describe('a connection that the provider closed while it lay idle', () => {
  test.each<[sentence: string, cut: RequestListener]>([
    ['with a reset', resetConnection],
    ['with a plain end', (request) => request.socket.destroy()],
  ])('is replaced by a new one, once: %s', async (_sentence, cut) => {
    const { port, seen } = await mediaProvider(answer, cut, answer, cut, cut, answer);
    const provider = providerAt(port);
    expect(await provider.fetchToken()).toBe(TOKEN);
    await nextTurn();
    expect(await provider.fetchToken()).toBe(TOKEN);
    await nextTurn();
    expect(seen).toEqual({ requests: 3, connections: 2 });
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    expect(seen).toEqual({ requests: 5, connections: 3 });
  });
});

describe("the provider's answer is bad", () => {
  const GZIP_BOMB = gzipSync(PAGE.padEnd(10_000_000));

  test.each<[sentence: string, body: string | Buffer, headers: Record<string, string>, reason: string]>([
    ['is empty', '', { 'content-type': 'text/html' }, 'no usable link'],
    ['has no link', '<p>secret-page</p>', { 'content-type': 'text/html' }, 'no usable link'],
    ['is JSON', JSON.stringify({ html: PAGE }), { 'content-type': 'application/json' }, 'not a text'],
    ['is a file', PAGE, { 'content-type': 'application/pdf' }, 'not a text'],
    ['is one byte too large', PAGE.padEnd(PAGE_LIMIT_BYTES + 1), {}, 'more than 65536 bytes'],
    [
      'is too large once decompressed',
      GZIP_BOMB,
      { 'content-encoding': 'gzip' },
      'content encoding: ERR_BUFFER_TOO_LARGE',
    ],
    ['is not compressed as it says', PAGE, { 'content-encoding': 'gzip' }, 'content encoding: Z_DATA_ERROR'],
    [
      'is cut within its compression',
      gzipSync(PAGE).subarray(0, 40),
      { 'content-encoding': 'gzip' },
      'content encoding: Z_BUF_ERROR',
    ],
    [
      'is compressed in another way',
      brotliCompressSync(PAGE),
      { 'content-encoding': 'br' },
      'unknown content encoding',
    ],
  ])('when it %s', async (_sentence, body, headers, reason) => {
    const { port, seen } = await mediaProvider(answerWith(body, headers));
    expect(await failureOf(providerAt(port))).toMatchObject({ ...BAD_ANSWER, ...because(reason) });
    expect(seen.requests).toBe(1);
  });

  test.each([
    ['a page without end', 'text/html', PAGE.repeat(40), 'more than 65536 bytes'],
    ['a sound without end', 'audio/mpeg', 'x', 'not a text'],
  ])('when it is %s, and its connection is given up', async (_sentence, contentType, chunk, reason) => {
    let connectionClosed: Promise<unknown> | undefined;
    const { port } = await mediaProvider((_request, response) => {
      connectionClosed = once(response, 'close');
      response.writeHead(200, { 'content-type': contentType });
      dripping(response, chunk, 5);
    });
    expect(await failureOf(providerAt(port))).toMatchObject({ ...BAD_ANSWER, ...because(reason) });
    await connectionClosed;
  });

  test('and the next one may be good again', async () => {
    const { port } = await mediaProvider(
      answerWith('<p>Mantenimiento</p>'),
      answerWith(PAGE, {}, 500),
      answer,
    );
    const provider = providerAt(port);
    expect(await failureOf(provider)).toMatchObject(BAD_ANSWER);
    expect(await failureOf(provider)).toMatchObject(UNAVAILABLE);
    expect(await provider.fetchToken()).toBe(TOKEN);
  });
});

describe("the log's warning that tokens are bound to the server's address", () => {
  const PAYLOAD = 'server_time=7/4/2025 3:05:09 PM&hash_value=wcwR9HKskYP6XAcdqy1ATw==&validminutes=20';
  const pageFor = (payload: string) =>
    `<a href="/live?wmsAuthSign=${Buffer.from(payload).toString('base64')}">x</a>`;
  const bound = answerWith(pageFor(PAYLOAD));
  const free = answerWith(pageFor(`${PAYLOAD}&id=1005`));

  test('is written once, and again only after tokens that were not', async () => {
    const { port } = await mediaProvider(bound, bound, free, free, bound);
    const provider = providerAt(port);
    const counts: number[] = [];
    for (let count = 0; count < 5; count++) {
      expect(await provider.fetchToken()).not.toBe('');
      counts.push(warnings.length);
    }
    expect(counts).toEqual([1, 1, 1, 1, 2]);
    expect(warnings[0]).toContain("bound to this server's IP address");
  });

  test('is not written for tokens that cannot be read', async () => {
    const { port } = await mediaProvider(answer);
    await providerAt(port).fetchToken();
    expect(warnings).toEqual([]);
  });
});
