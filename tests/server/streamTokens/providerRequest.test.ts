import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  answer,
  answerWith,
  badAnswer,
  cutWithinPage,
  dripping,
  failureOf,
  GZIP_BOMB,
  HTML,
  mediaProvider,
  PAGE,
  PAGE_LIMIT_BYTES,
  providerAt,
  rawProvider,
  resetConnection,
  silent,
  TOKEN,
  unavailable,
  warnings,
} from './mediaProvider.ts';

const SHORT_MS = 150;
const TIMEOUT_MS = 60_000;

afterEach(() => void vi.useRealTimers());

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
    ['is XHTML', PAGE, { 'content-type': 'application/xhtml+xml' }],
    ['is plain text', PAGE, { 'content-type': 'TEXT/plain; charset=utf-8' }],
    ['is compressed although it was asked not to be', gzipSync(PAGE), { 'content-encoding': 'gzip' }],
    ['is not UTF-8', Buffer.from(`señal${PAGE}`, 'latin1'), HTML],
    ['is as large as allowed', PAGE.padEnd(PAGE_LIMIT_BYTES), HTML],
  ])('is found in a page that %s', async (_sentence, body, headers) => {
    const { port } = await mediaProvider(answerWith(body, headers));
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

  test('is asked for with the user and password of the URL', async () => {
    const { port } = await mediaProvider((request, response) => {
      const wanted = `Basic ${Buffer.from('secret-user:secret-p@ss%:ñ').toString('base64')}`;
      if (request.headers.authorization === wanted) answer(request, response);
      else response.writeHead(401).end();
    });
    const withPassword = (password: string) => providerAt(port, { user: `secret-user:${password}@` });
    expect(await withPassword('secret-p%40ss%25:%C3%B1').fetchToken()).toBe(TOKEN);
    expect(await failureOf(withPassword('secret-wrong'))).toMatchObject(unavailable());
  });
});

describe('the provider is unavailable', () => {
  test.each([302, 404, 429, 500])('when it answers %i', async (status) => {
    const { port, seen } = await mediaProvider(
      answerWith(PAGE, { ...HTML, location: '/elsewhere' }, status),
      answer,
    );
    expect(await failureOf(providerAt(port))).toMatchObject(unavailable(`status ${status}`));
    expect(seen.requests).toBe(1);
  });

  test('when nothing listens', async () => {
    const { server, port } = await mediaProvider(answer);
    server.close();
    expect(await failureOf(providerAt(port))).toMatchObject(unavailable('ECONNREFUSED'));
  });

  test.each([
    ['never answers', silent],
    ['never ends its answer, however much it goes on writing', dripping(' ', 10)],
  ])('when it %s, and its connection is given up', async (_sentence, way) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
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
    expect(await failure).toMatchObject(unavailable(`no whole answer within ${TIMEOUT_MS} ms`));
    await connectionClosed;
    expect(seen.requests).toBe(1);
  });

  test('when it takes the connection and never finishes the TLS handshake', async () => {
    const provider = providerAt(await rawProvider(), { scheme: 'https', timeoutMs: SHORT_MS });
    expect(await failureOf(provider)).toMatchObject(unavailable(/no whole answer|CONNECT_TIMEOUT/));
  });

  test.each([
    ['a broken head', `HTTP/1.1 200 OK\r\nsecret header ${TOKEN}\r\n\r\n${PAGE}`],
    ['an endless head', `HTTP/1.1 200 OK\r\nx-secret: ${TOKEN.repeat(2_000)}\r\n\r\n${PAGE}`],
    ['a page shorter than it said', `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${PAGE}`],
  ])('when it answers %s', async (_sentence, bytes) => {
    expect(await failureOf(providerAt(await rawProvider(bytes)))).toMatchObject(unavailable());
  });

  test('when it cuts the connection within the page, and is asked no second time', async () => {
    const { port, seen } = await mediaProvider(answer, cutWithinPage);
    const provider = providerAt(port);
    await provider.fetchToken();
    await nextTurn();
    expect(await failureOf(provider)).toMatchObject(unavailable());
    expect(seen).toEqual({ requests: 2, connections: 1 });
  });

  test('when it cuts the connection and never answers on the next one, within the same time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const { server, port, seen } = await mediaProvider(resetConnection, silent);
    const failure = failureOf(providerAt(port));
    await once(server, 'request');
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    await once(server, 'request');
    vi.advanceTimersByTime(1);
    expect(await failure).toMatchObject(unavailable(`no whole answer within ${TIMEOUT_MS} ms`));
    expect(seen).toEqual({ requests: 2, connections: 2 });
  });

  test('when it is closed here', async () => {
    const { port, seen } = await mediaProvider(answer);
    const provider = providerAt(port);
    const underWay = provider.fetchToken();
    await provider.close();
    expect(await underWay).toBe(TOKEN);
    expect(await failureOf(provider)).toMatchObject(unavailable());
    expect(seen.requests).toBe(1);
  });
});

test.each<[sentence: string, cut: RequestListener]>([
  ['a reset', resetConnection],
  ['a plain end', (request) => request.socket.destroy()],
])('a connection that fails by %s before any answer is replaced once', async (_sentence, cut) => {
  const { port, seen } = await mediaProvider(cut, answer, cut, answer, cut, cut, answer);
  const provider = providerAt(port);
  expect(await provider.fetchToken()).toBe(TOKEN);
  await nextTurn();
  expect(await provider.fetchToken()).toBe(TOKEN);
  await nextTurn();
  expect(seen).toEqual({ requests: 4, connections: 3 });
  expect(await failureOf(provider)).toMatchObject(unavailable());
  expect(seen).toEqual({ requests: 6, connections: 4 });
});

describe("the provider's answer is bad", () => {
  const gzip = { 'content-encoding': 'gzip' };
  test.each<[sentence: string, body: string | Buffer, headers: Record<string, string>, reason: string]>([
    ['has no link', '<p>secret-page</p>', HTML, 'no usable link'],
    ['is JSON', JSON.stringify({ html: PAGE }), { 'content-type': 'application/json' }, 'not a text'],
    ['is one byte too large', PAGE.padEnd(PAGE_LIMIT_BYTES + 1), {}, 'more than 65536 bytes'],
    ['is too large once decompressed', GZIP_BOMB, gzip, 'content encoding: ERR_BUFFER_TOO_LARGE'],
    ['is not compressed as it says', PAGE, gzip, 'content encoding: Z_DATA_ERROR'],
    [
      'is compressed in another way',
      brotliCompressSync(PAGE),
      { 'content-encoding': 'br' },
      'unknown content encoding',
    ],
  ])('when it %s', async (_sentence, body, headers, reason) => {
    const { port, seen } = await mediaProvider(answerWith(body, headers));
    expect(await failureOf(providerAt(port))).toMatchObject(badAnswer(reason));
    expect(seen.requests).toBe(1);
  });

  test.each([
    ['a page without end', 'text/html', PAGE.repeat(40), 'more than 65536 bytes'],
    ['a sound without end', 'audio/mpeg', 'x', 'not a text'],
  ])('when it is %s, and its connection is given up', async (_sentence, contentType, chunk, reason) => {
    let connectionClosed: Promise<unknown> | undefined;
    const { port } = await mediaProvider((request, response) => {
      connectionClosed = once(response, 'close');
      dripping(chunk, 5, { 'content-type': contentType })(request, response);
    });
    expect(await failureOf(providerAt(port))).toMatchObject(badAnswer(reason));
    await connectionClosed;
  });
});

test("the log's warning that tokens are bound to the server's address is written once, and again only after tokens that were not", async () => {
  const PAYLOAD = 'server_time=7/4/2025 3:05:09 PM&hash_value=wcwR9HKskYP6XAcdqy1ATw==&validminutes=20';
  const pageFor = (payload: string) =>
    answerWith(`<a href="/live?wmsAuthSign=${Buffer.from(payload).toString('base64')}">x</a>`);
  const bound = pageFor(PAYLOAD);
  const free = pageFor(`${PAYLOAD}&id=1005`);
  const unreadable = answer;
  const { port } = await mediaProvider(unreadable, bound, bound, free, free, bound);
  const provider = providerAt(port);
  const counts: number[] = [];
  for (let count = 0; count < 6; count++) {
    expect(await provider.fetchToken()).not.toBe('');
    counts.push(warnings.length);
  }
  expect(counts).toEqual([0, 1, 1, 1, 1, 2]);
  expect(warnings[0]).toContain("bound to this server's IP address");
});
