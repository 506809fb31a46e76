import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CodedError } from '../../../server/errors.ts';
import type { StreamProvider } from '../../../server/streamTokens/provider.ts';
import {
  answer,
  answerWith,
  badAnswer,
  failureOf,
  mediaProvider,
  PAGE,
  providerAt,
  resetConnection,
  silent,
  TOKEN,
  unavailable,
} from './mediaProvider.ts';

const ABSENCES_TO_OPEN = 5;
const OPEN_MS = 2_000;
const SHORT_MS = 150;
const MAX_REQUESTS = 256;
const NOT_ASKED = unavailable('^not asked: it is absent$');

afterEach(() => void vi.useRealTimers());

/** From the beginning, because Node warns only once of each listened-to object. */
const nodeWarnings: Error[] = [];
process.on('warning', (warning) => nodeWarnings.push(warning));

const broken = answerWith('', {}, 503);
const fiveAbsences = [broken, broken, broken, broken, broken] as const;

/** Stops the clock but not the sockets: time goes on by `vi.advanceTimersByTime` alone. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });

/** Returns the failure of a call that is answered before any socket can be. */
async function failureAtOnce(provider: StreamProvider): Promise<CodedError> {
  const failure = await Promise.race([failureOf(provider), nextTurn(null)]);
  if (failure === null) throw new Error('It is not answered at once');
  return failure;
}

async function openBreaker(provider: StreamProvider): Promise<void> {
  for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
    const failure = await failureOf(provider);
    expect(failure).toMatchObject(unavailable());
    expect(failure).not.toMatchObject(NOT_ASKED);
  }
  expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
}

describe('a provider that was absent five times in a row is not asked, and every call fails at once', () => {
  test.each<[sentence: string, way: RequestListener]>([
    ['it is silent', silent],
    ['it resets the connection', resetConnection],
    ['it answers 599', answerWith(PAGE, {}, 599)],
  ])('when %s', async (_sentence, way) => {
    // The breaker's clock stands still, so that it stays open however long this takes.
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const { port, seen } = await mediaProvider(way);
    const provider = providerAt(port, { timeoutMs: SHORT_MS });
    await openBreaker(provider);
    const seenBefore = { ...seen };
    for (let count = 0; count < 20; count++) {
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    }
    await nextTurn();
    expect(seen).toEqual(seenBefore);
  });
});

describe('a provider that answers is always asked', () => {
  test.each<[sentence: string, way: RequestListener, failure: object]>([
    ['no page with a link', answerWith('<p>Mantenimiento</p>'), badAnswer()],
    ['a redirection', answerWith('', { location: '/elsewhere' }, 302), unavailable()],
    ['that it is asked too often', answerWith('', {}, 429), unavailable()],
    ['no HTTP', (request) => request.socket.end('secret-greeting\r\n\r\n'), unavailable()],
  ])('whatever it answers: %s', async (_sentence, way, failure) => {
    const { port, seen } = await mediaProvider(way);
    const provider = providerAt(port);
    for (let count = 1; count <= 20; count++) {
      expect(await failureOf(provider)).toMatchObject(failure);
      expect(seen.requests).toBe(count);
    }
  });

  test('and resets the count of absences by any answer', async () => {
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
    const { port, seen } = await mediaProvider(...fiveAbsences, answer);
    const provider = providerAt(port);
    await openBreaker(provider);
    vi.advanceTimersByTime(OPEN_MS - 1);
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    expect(seen.requests).toBe(5);
    vi.advanceTimersByTime(1);
    expect(await provider.fetchToken()).toBe(TOKEN);
    await Promise.all(Array.from({ length: 100 }, () => provider.fetchToken()));
    expect(seen.requests).toBe(106);
  });

  test('counts as there again by any answer, even a page without a link', async () => {
    stopTime();
    const { port, seen } = await mediaProvider(...fiveAbsences, answerWith('<p>Mantenimiento</p>'));
    const provider = providerAt(port);
    await openBreaker(provider);
    vi.advanceTimersByTime(OPEN_MS);
    for (let count = 0; count < 10; count++) expect(await failureOf(provider)).toMatchObject(badAnswer());
    expect(seen.requests).toBe(15);
  });

  test('because it was restarted gives tokens again, over the same pool', async () => {
    stopTime();
    const { server, port, seen } = await mediaProvider(answer);
    const provider = providerAt(port);
    expect(await provider.fetchToken()).toBe(TOKEN);
    server.close().closeAllConnections();
    await once(server, 'close');
    await openBreaker(provider);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    vi.advanceTimersByTime(OPEN_MS);
    expect(await provider.fetchToken()).toBe(TOKEN);
    expect(seen).toEqual({ requests: 2, connections: 2 });
  });

  test('is asked by one alone then, while the others fail at once, and left alone again when it is still absent', async () => {
    stopTime();
    const held: ServerResponse[] = [];
    const { server, port, seen } = await mediaProvider(
      ...fiveAbsences,
      (_request, response) => void held.push(response),
    );
    const provider = providerAt(port);
    await openBreaker(provider);
    for (const requests of [6, 7]) {
      vi.advanceTimersByTime(OPEN_MS);
      const trying = failureOf(provider);
      await once(server, 'request');
      for (let count = 0; count < 20; count++) {
        expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      }
      held.at(-1)?.writeHead(502).end();
      expect(await trying).toMatchObject(unavailable('status 502'));
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      expect(seen.requests).toBe(requests);
    }
  });

  test("is asked again in the same time when the computer's clock is set back meanwhile", async () => {
    stopTime();
    const { port } = await mediaProvider(...fiveAbsences, answer);
    const provider = providerAt(port);
    await openBreaker(provider);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(OPEN_MS);
    expect(await provider.fetchToken()).toBe(TOKEN);
  });
});

test('256 requests are under way at most: one more fails at once, and nobody else suffers', async () => {
  const held: ServerResponse[] = [];
  const { server, port, seen } = await mediaProvider((_request, response) => void held.push(response));
  const provider = providerAt(port);
  const calls = Array.from({ length: MAX_REQUESTS }, () => provider.fetchToken());
  for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
    expect(await failureAtOnce(provider)).toMatchObject(
      unavailable('^not asked: too many requests are under way$'),
    );
  }
  while (held.length < MAX_REQUESTS) await once(server, 'request');
  for (const response of held.splice(0)) response.end(PAGE);
  expect(new Set(await Promise.all(calls))).toEqual(new Set([TOKEN]));
  const next = provider.fetchToken();
  await once(server, 'request');
  held[0]?.end(PAGE);
  expect(await next).toBe(TOKEN);
  expect(seen.requests).toBe(MAX_REQUESTS + 1);
});

test('20 calls under way are nothing that Node warns of as a leak', async () => {
  const { port } = await mediaProvider(answer);
  const provider = providerAt(port);
  await Promise.all(Array.from({ length: 20 }, () => provider.fetchToken()));
  expect(nodeWarnings).toEqual([]);
});
