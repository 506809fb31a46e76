import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StreamProvider } from '../../../server/streamTokens/streamProvider.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import {
  answer,
  answerWith,
  failureOf,
  mediaProvider,
  PAGE,
  providerAt,
  TOKEN,
  unavailable,
} from './mediaProvider.ts';

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

const pageFor = (text: string) =>
  answerWith(`<a href="/live?wmsAuthSign=${Buffer.from(text).toString('base64')}">x</a>`);

test('tokens that may not play are warned of when they begin', async () => {
  const payload = 'server_time=7/4/2025 3:05:09 PM&hash_value=x&validminutes=20';
  const [bound, free] = [pageFor(payload), pageFor(`${payload}&id=1`)];
  const short = pageFor('server_time=7/4/2025 3:05:09 PM&hash_value=x&validminutes=5&id=1');
  const { port } = await mediaProvider(bound, bound, free, bound, short);
  const warn = vi.fn();
  const provider = providerAt(port, { warn });
  for (let token = 0; token < 5; token += 1) await provider.fetchToken();
  const ofAddress = [expect.stringContaining("bound to this server's IP address")];
  expect(warn.mock.calls).toEqual([ofAddress, ofAddress, [expect.stringContaining('valid for 5 minutes')]]);
});
