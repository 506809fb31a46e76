import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProviderNotAsked } from '../../../server/streamTokens/providerErrors.ts';
import { createTokenLimits, type LimitTokens } from '../../../server/streamTokens/tokenLimits.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import type { RateLimitedReason } from '../../../shared/generated/schemaEnums.ts';

const TOOLS = { accountId: 'uno', client: 'TOOL', keyName: null } as const;
const BROWSERS = { accountId: 'uno', client: 'BROWSER', keyName: null } as const;
const PLAYERS = { accountId: 'uno', client: 'PLAYER', keyName: null } as const;
const OTHERS = { accountId: 'dos', client: 'TOOL', keyName: null } as const;
const keyed = (keyName: string) => ({ ...TOOLS, keyName });

type Requester = Parameters<LimitTokens>[0];

const work = vi.fn(async () => 'token');
let limitTokens: LimitTokens;

beforeEach(() => {
  vi.useFakeTimers();
  limitTokens = createTokenLimits();
});
afterEach(() => void vi.useRealTimers());

async function make(count: number, requester: Requester) {
  for (let made = 0; made < count; made += 1) expect(await limitTokens(requester, work)).toBe('token');
}

async function expectRefusal(requester: Requester, retryAfterSeconds: number, reason?: RateLimitedReason) {
  work.mockClear();
  await expect(limitTokens(requester, work)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { retryAfterSeconds, ...(reason && { reason }) },
  });
  expect(work).not.toHaveBeenCalled();
}

/** Starts requests that last until `end`, which resolves when they have ended. */
function hold(count: number, requester: Requester) {
  const held = new EventEmitter().setMaxListeners(count);
  const underWay = Array.from({ length: count }, () => limitTokens(requester, () => once(held, 'end')));
  return async () => {
    held.emit('end');
    await Promise.all(underWay);
  };
}

test('a minute of 60 requests begins with the first', async () => {
  await make(1, TOOLS);
  vi.advanceTimersByTime(MINUTE_MS - 10_001);
  await make(59, TOOLS);
  await expectRefusal(TOOLS, 11, 'USED_UP');
  vi.advanceTimersByTime(10_000);
  await expectRefusal(TOOLS, 1);
  vi.advanceTimersByTime(1);
  await make(1, TOOLS);
});

test('browsers, players and other accounts have minutes of their own', async () => {
  await make(60, TOOLS);
  await make(1, BROWSERS);
  await make(1, PLAYERS);
  await make(1, OTHERS);
});

test('a request refused because 4 are under way does not count', async () => {
  const end = hold(4, TOOLS);
  await expectRefusal(TOOLS, 1, 'AT_ONCE');
  await end();
  await make(56, TOOLS);
  await expectRefusal(TOOLS, 60);
});

test('a clock set back makes nobody wait over a minute', async () => {
  await make(60, TOOLS);
  vi.setSystemTime(Date.now() - HOUR_MS);
  await expectRefusal(TOOLS, 60);
  vi.advanceTimersByTime(MINUTE_MS);
  await make(1, TOOLS);
});

test('a key may make a third of its account’s requests', async () => {
  await make(20, keyed('loop'));
  vi.advanceTimersByTime(10_000);
  for (let count = 0; count < 100; count += 1) await expectRefusal(keyed('loop'), 50);
  await make(20, keyed('recorder'));
  await make(20, TOOLS);
  await expectRefusal(TOOLS, 50);
});

test('a key has at most 2 requests under way', async () => {
  const end = hold(2, keyed('loop'));
  await expectRefusal(keyed('loop'), 1);
  await make(1, keyed('recorder'));
  await end();
  await make(1, keyed('loop'));
});

test('a request refused by its account’s limit does not count against its key', async () => {
  await make(60, TOOLS);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  for (let count = 0; count < 30; count += 1) await expectRefusal(keyed('recorder'), 1);
  vi.advanceTimersByTime(1);
  await make(20, keyed('recorder'));
});

test('keys of one name in two accounts have limits of their own', async () => {
  await make(20, keyed('codec'));
  await make(1, { ...OTHERS, keyName: 'codec' });
});

test('what the circuit breaker answers does not count', async () => {
  const notAsked = new ProviderNotAsked('left_alone', 'it is absent');
  const ask = () => limitTokens(keyed('codec'), () => Promise.reject(notAsked));
  for (let count = 0; count < 100; count += 1) await expect(ask()).rejects.toBe(notAsked);
  await make(20, keyed('codec'));
});
