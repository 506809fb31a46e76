import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CodedError } from '../../../server/errors.ts';
import type { StreamProvider } from '../../../server/streamTokens/provider.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp } from '../../support/testApp.ts';
import {
  answer,
  answerWith,
  BAD_ANSWER,
  because,
  closeAfterTest,
  dripping,
  failureOf,
  GZIP_BOMB,
  listening,
  mediaProvider,
  PAGE,
  providerAt,
  resetConnection,
  TOKEN,
  UNAVAILABLE,
} from './mediaProvider.ts';

const ABSENCES_TO_OPEN = 5;
const OPEN_MS = 2_000;
const TIMEOUT_MS = 5_000;
const SHORT_MS = 150;
const NOT_ASKED = { ...UNAVAILABLE, ...because('^not asked: it is absent$') };

afterEach(() => void vi.useRealTimers());

const broken = answerWith('', {}, 503);
const silent: RequestListener = () => {};

/** Time that stands still but for the sockets: it goes on by `vi.advanceTimersByTime` alone. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });

/** The failure of a call that is answered before anything of the world around can be. */
async function failureAtOnce(provider: StreamProvider): Promise<CodedError> {
  const failure = await Promise.race([failureOf(provider), nextTurn(null)]);
  if (failure === null) throw new Error('It is not answered at once');
  return failure;
}

async function openGuard(provider: StreamProvider): Promise<void> {
  for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
    expect(await failureOf(provider)).not.toMatchObject(NOT_ASKED);
  }
  expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
}

describe('a provider that was absent five times in a row is not asked, and every call fails at once', () => {
  test.each<[sentence: string, way: RequestListener]>([
    ['it is silent', silent],
    [
      'it drips its answer',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        dripping(response, ' ', 5);
      },
    ],
    [
      'it drips an answer that says it failed',
      (_request, response) => dripping(response.writeHead(500), ' ', 5),
    ],
    ['it resets the connection', resetConnection],
    [
      'it cuts the connection within the page',
      (request, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(PAGE, () => setImmediate(() => request.socket.resetAndDestroy()));
      },
    ],
    ['it answers 500', answerWith(PAGE, {}, 500)],
    ['it answers 503', broken],
    ['it answers 599', answerWith(PAGE, {}, 599)],
  ])('when %s', async (_sentence, way) => {
    const { port, seen } = await mediaProvider(way);
    const provider = providerAt(port, { timeoutMs: SHORT_MS });
    for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
      const failure = await failureOf(provider);
      expect(failure).toMatchObject(UNAVAILABLE);
      expect(failure).not.toMatchObject(NOT_ASKED);
    }
    const seenBefore = { ...seen };
    for (let count = 0; count < 20; count++) {
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    }
    await nextTurn();
    expect(seen).toEqual(seenBefore);
  });

  test('when nothing listens', async () => {
    const server = createTcpServer((socket) => void socket.destroy());
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    const provider = providerAt(port);
    await openGuard(provider);
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await listening(server, port);
    closeAfterTest(() => server.close());
    for (let count = 0; count < 20; count++) {
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    }
    await nextTurn();
    expect(connections).toBe(0);
  });

  test('when it is silent to many at once', async () => {
    const { port } = await mediaProvider(silent);
    const provider = providerAt(port, { timeoutMs: SHORT_MS });
    await Promise.all(Array.from({ length: ABSENCES_TO_OPEN }, () => failureOf(provider)));
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
  });
});

describe('a provider that answers is always asked', () => {
  const html = { 'content-type': 'text/html' };
  test.each<[sentence: string, way: RequestListener, failure: object]>([
    ['no page with a link', answerWith('<p>Mantenimiento</p>'), BAD_ANSWER],
    ['nothing', answerWith(''), BAD_ANSWER],
    ['a sound', answerWith('x', { 'content-type': 'audio/mpeg' }), BAD_ANSWER],
    ['a bomb', answerWith(GZIP_BOMB, { ...html, 'content-encoding': 'gzip' }), BAD_ANSWER],
    [
      'a page without end',
      (_request, response) => {
        response.writeHead(200, html);
        dripping(response, PAGE.repeat(400), 1);
      },
      BAD_ANSWER,
    ],
    ['a redirection', answerWith('', { location: '/elsewhere' }, 302), UNAVAILABLE],
    ['that it wants other credentials', answerWith('', {}, 401), UNAVAILABLE],
    ['that there is nothing here', answerWith('', {}, 404), UNAVAILABLE],
    ['that it is asked too often', answerWith('', {}, 429), UNAVAILABLE],
    ['no HTTP', (request) => request.socket.end('secret-greeting\r\n\r\n'), UNAVAILABLE],
  ])('whatever it answers: %s', async (_sentence, way, failure) => {
    const { port, seen } = await mediaProvider(way);
    const provider = providerAt(port);
    for (let count = 1; count <= 20; count++) {
      expect(await failureOf(provider)).toMatchObject(failure);
      expect(seen.requests).toBe(count);
    }
  });

  test('and begins the count of absences anew by any answer', async () => {
    const fourAbsences = [broken, broken, broken, broken] as const;
    const { port, seen } = await mediaProvider(
      ...fourAbsences,
      answer,
      ...fourAbsences,
      answerWith('', {}, 404),
      ...fourAbsences,
      answerWith('<p>Mantenimiento</p>'),
      broken,
    );
    const provider = providerAt(port);
    for (let count = 1; count <= 20; count++) {
      await provider.fetchToken().catch(() => {});
      expect(seen.requests).toBe(count);
    }
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
  });
});

describe('a provider that was absent', () => {
  test('is asked again after 2 s, and as before once it answers', async () => {
    stopTime();
    const { port, seen } = await mediaProvider(broken, broken, broken, broken, broken, answer);
    const provider = providerAt(port);
    await openGuard(provider);
    vi.advanceTimersByTime(OPEN_MS - 1);
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    expect(seen.requests).toBe(5);
    vi.advanceTimersByTime(1);
    expect(await provider.fetchToken()).toBe(TOKEN);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => provider.fetchToken()));
    expect(tokens).toHaveLength(100);
    expect(seen.requests).toBe(106);
  });

  test('is asked by one alone then, while the others fail at once, and left alone again when it is still absent', async () => {
    stopTime();
    const held: ServerResponse[] = [];
    const { server, port, seen } = await mediaProvider(
      ...([broken, broken, broken, broken, broken] as const),
      (_request, response) => void held.push(response),
    );
    const provider = providerAt(port);
    await openGuard(provider);
    for (const requests of [6, 7, 8]) {
      vi.advanceTimersByTime(OPEN_MS);
      const trying = failureOf(provider);
      await once(server, 'request');
      for (let count = 0; count < 20; count++) {
        expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      }
      held.at(-1)?.writeHead(502).end();
      expect(await trying).toMatchObject({ ...UNAVAILABLE, ...because('status 502') });
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      expect(seen.requests).toBe(requests);
    }
  });

  test('is there again when the one that tries gets any answer, be it a page without a link', async () => {
    stopTime();
    const { port, seen } = await mediaProvider(
      ...([broken, broken, broken, broken, broken] as const),
      answerWith('<p>Mantenimiento</p>'),
    );
    const provider = providerAt(port);
    await openGuard(provider);
    vi.advanceTimersByTime(OPEN_MS);
    for (let count = 0; count < 10; count++) expect(await failureOf(provider)).toMatchObject(BAD_ANSWER);
    expect(seen.requests).toBe(15);
  });

  test('gives its first token within 10 s of its return, even if it was silent to one that had just tried', async () => {
    stopTime();
    let isBack = false;
    const { server, port } = await mediaProvider((request, response) => {
      if (isBack) answer(request, response);
    });
    const provider = providerAt(port, { timeoutMs: TIMEOUT_MS });
    const failures = Array.from({ length: ABSENCES_TO_OPEN }, () => failureOf(provider));
    for (const _failure of failures) await once(server, 'request');
    vi.advanceTimersByTime(TIMEOUT_MS);
    await Promise.all(failures);
    vi.advanceTimersByTime(OPEN_MS);
    const trying = failureOf(provider);
    await once(server, 'request');
    isBack = true;
    const backAtMs = performance.now();
    let token: string | null = null;
    while (token === null && performance.now() < backAtMs + 60_000) {
      vi.advanceTimersByTime(500);
      await nextTurn();
      token = await provider.fetchToken().catch(() => null);
    }
    expect(token).toBe(TOKEN);
    expect(performance.now() - backAtMs).toBeLessThanOrEqual(10_000);
    expect(await trying).toMatchObject({ ...UNAVAILABLE, ...because('no whole answer') });
  });

  test("is asked again in the same time when the computer's clock is set back meanwhile", async () => {
    stopTime();
    const { port } = await mediaProvider(broken, broken, broken, broken, broken, answer);
    const provider = providerAt(port);
    await openGuard(provider);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(OPEN_MS);
    expect(await provider.fetchToken()).toBe(TOKEN);
  });
});

test('256 requests are under way at most: one more fails at once, and nobody else suffers', async () => {
  const held: ServerResponse[] = [];
  const { server, port, seen } = await mediaProvider((_request, response) => void held.push(response));
  const provider = providerAt(port);
  const calls = Array.from({ length: 256 }, () => provider.fetchToken());
  for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
    expect(await failureAtOnce(provider)).toMatchObject({
      ...UNAVAILABLE,
      ...because('^not asked: too many requests are under way$'),
    });
  }
  while (held.length < 256) await once(server, 'request');
  for (const response of held.splice(0)) response.end(PAGE);
  expect(new Set(await Promise.all(calls))).toEqual(new Set([TOKEN]));
  const next = provider.fetchToken();
  await once(server, 'request');
  held[0]?.end(PAGE);
  expect(await next).toBe(TOKEN);
  expect(seen.requests).toBe(257);
});

test('the app stays ready while the provider is down, and says by its code who is missing', async () => {
  const { port, seen } = await mediaProvider(broken);
  const app = await startTestApp({ provider: providerAt(port) });
  closeAfterTest(() => app.close());
  await app.addAccount(ACCOUNT);
  const headers = await app.bearer();
  for (let count = 0; count < 2 * ABSENCES_TO_OPEN; count++) {
    const { errors } = await app.graphql(CREATE_TOKEN, { headers });
    expect(errors).toMatchObject([{ extensions: { code: 'PROVIDER_UNAVAILABLE' } }]);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  }
  expect(seen.requests).toBe(ABSENCES_TO_OPEN);
});
