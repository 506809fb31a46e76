import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { StreamProvider } from '../../../server/streamTokens/streamProvider.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import {
  answer,
  answerWith,
  failureOf,
  HTML,
  mediaProvider,
  PAGE,
  providerAt,
  TOKEN,
  unavailable,
} from './mediaProvider.ts';

const MADE_MS = Date.parse('2025-07-04T15:05:09Z');
const ABSENCES_TO_OPEN = 5;
const OPEN_MS = 2_000;
const MAX_REQUESTS = 256;
const NOT_ASKED = { ...unavailable('^not asked: it is absent$'), kind: 'left_alone' };

const broken = answerWith('', {}, 503);
const fiveAbsences = [broken, broken, broken, broken, broken] as const;

/** Returns the failure of a call that is answered before any socket can be. */
async function failureAtOnce(provider: StreamProvider): Promise<unknown> {
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

describe('the circuit breaker', () => {
  // Stops the clock but not the sockets.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  test('opens after five time limits', async () => {
    const { server, port, seen } = await mediaProvider(() => {});
    const provider = providerAt(port);
    for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
      const failure = failureOf(provider);
      await once(server, 'request');
      vi.advanceTimersByTime(MINUTE_MS);
      expect(await failure).toMatchObject(unavailable('^no whole answer'));
    }
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    expect(seen.requests).toBe(ABSENCES_TO_OPEN);
  });

  test('counts absences anew after any answer', async () => {
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

  test('closes after 2 s by one token', async () => {
    const { port, seen } = await mediaProvider(...fiveAbsences, answer);
    const provider = providerAt(port);
    await openBreaker(provider);
    vi.advanceTimersByTime(OPEN_MS - 1);
    expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
    vi.advanceTimersByTime(1);
    expect(await provider.fetchToken()).toBe(TOKEN);
    await Promise.all([provider.fetchToken(), provider.fetchToken()]);
    expect(seen.requests).toBe(8);
  });

  test('opens again when the trial call fails', async () => {
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
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      held.at(-1)?.writeHead(502).end();
      expect(await trying).toMatchObject(unavailable('status 502'));
      expect(await failureAtOnce(provider)).toMatchObject(NOT_ASKED);
      expect(seen.requests).toBe(requests);
    }
  });

  test('keeps its 2 s when the clock is set back', async () => {
    const { port } = await mediaProvider(...fiveAbsences, answer);
    const provider = providerAt(port);
    await openBreaker(provider);
    vi.setSystemTime(Date.now() - HOUR_MS);
    vi.advanceTimersByTime(OPEN_MS);
    expect(await provider.fetchToken()).toBe(TOKEN);
  });
});

test('calls beyond 256 fail at once', async () => {
  const nodeWarnings: Error[] = [];
  process.on('warning', (warning) => nodeWarnings.push(warning));
  const held: ServerResponse[] = [];
  const { server, port } = await mediaProvider((_request, response) => void held.push(response));
  const provider = providerAt(port);
  const calls = Array.from({ length: MAX_REQUESTS }, () => provider.fetchToken());
  for (let count = 0; count < ABSENCES_TO_OPEN; count++) {
    expect(await failureAtOnce(provider)).toMatchObject({ kind: 'queue_full', wasAsked: false });
  }
  while (held.length < MAX_REQUESTS) await once(server, 'request');
  for (const response of held.splice(0)) response.end(PAGE);
  expect(new Set(await Promise.all(calls))).toEqual(new Set([TOKEN]));
  // Node warns of listeners that look like a leak.
  expect(nodeWarnings).toEqual([]);
});

const tokenFor = (text: string) => Buffer.from(text).toString('base64');
const pageFor = (text: string, headers = HTML) =>
  answerWith(`<a href="/live?wmsAuthSign=${tokenFor(text)}">x</a>`, headers);
const SERVER_TIME = '7/4/2025 3:05:09 PM';
const payload = (more: string) => `server_time=${SERVER_TIME}&hash_value=x&validminutes=20${more}`;

/** A provider at a time of its own, which collects what it tells of each token. */
async function watchedProvider(nowMs: number, ...pages: Parameters<typeof mediaProvider>) {
  const { port } = await mediaProvider(...pages);
  const warn = vi.fn();
  const onTokenFault = vi.fn();
  const observer = { onAsked() {}, onFailure() {}, onTokenFault };
  const provider = providerAt(port, { warn, observer, clock: () => new Date(nowMs) });
  return { provider, warned: () => warn.mock.calls.flat(), faults: () => onTokenFault.mock.calls.flat() };
}

test('tokens that may not play are warned of when they begin', async () => {
  const [bound, free] = [pageFor(payload('')), pageFor(payload('&id=1'))];
  const short = pageFor(payload('&id=1').replace('=20', '=5'));
  const { provider, warned, faults } = await watchedProvider(MADE_MS, bound, bound, free, bound, short);
  for (let token = 0; token < 5; token += 1) await provider.fetchToken();
  const ofAddress = expect.stringContaining("bound to this server's IP address");
  expect(warned()).toEqual([ofAddress, ofAddress, expect.stringContaining('valid for 5 minutes')]);
  expect(faults().filter((fault) => fault !== 'repeated')).toEqual([
    'address',
    'address',
    'address',
    'lifetime',
  ]);
});

test('a page from a cache is told, and its token handed out', async () => {
  const cached = answerWith(PAGE, { ...HTML, age: '900' });
  const { provider, warned, faults } = await watchedProvider(
    MADE_MS,
    answerWith(PAGE, { ...HTML, age: '0' }),
    cached,
  );
  await provider.fetchToken();
  expect(faults()).toEqual([]);
  expect(await provider.fetchToken()).toBe(TOKEN);
  expect(faults()).toContain('age');
  expect(warned()).toContainEqual(expect.stringContaining('came from a cache (Age: 900)'));
});

test('a token made minutes ago is told, and handed out', async () => {
  const page = pageFor(payload('&id=1'));
  const { provider, warned, faults } = await watchedProvider(MADE_MS + 15 * MINUTE_MS, page);
  expect(await provider.fetchToken()).toBe(tokenFor(payload('&id=1')));
  expect(faults()).toEqual(['server_time']);
  expect(warned()).toEqual([expect.stringContaining('made 15 minutes ago')]);
});

test('a token that is a minute old may be of another clock', async () => {
  const { provider, faults } = await watchedProvider(MADE_MS + MINUTE_MS, pageFor(payload('&id=1')));
  await provider.fetchToken();
  expect(faults()).toEqual([]);
});

test('a token that was issued before is told, and handed out', async () => {
  const { provider, warned, faults } = await watchedProvider(MADE_MS, answer);
  expect([await provider.fetchToken(), await provider.fetchToken()]).toEqual([TOKEN, TOKEN]);
  expect(faults()).toEqual(['repeated']);
  expect(warned()).toEqual([expect.stringContaining('had given before')]);
});

test('equal tokens of one second are fresh, as their time has whole seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { provider, faults } = await watchedProvider(MADE_MS, pageFor(payload('&id=1')));
  for (let count = 0; count < 2; count += 1) await provider.fetchToken();
  expect(faults()).toEqual([]);
  vi.advanceTimersByTime(2_001);
  await provider.fetchToken();
  expect(faults()).toEqual(['repeated']);
});
