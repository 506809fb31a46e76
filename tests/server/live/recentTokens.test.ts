import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRecentTokens } from '../../../server/live/recentTokens.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a function that makes an address at each call, another each time. */
function maker() {
  let made = 0;
  return vi.fn(async () => `https://stream.example/${++made}`);
}

test('a key has one token for a minute after it was made', async () => {
  const recentTokens = createRecentTokens();
  const create = maker();
  const first = await recentTokens.get('key', create);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  expect(await recentTokens.get('key', create)).toEqual({ ...first, isNew: false });
  vi.advanceTimersByTime(1);
  expect(await recentTokens.get('key', create)).toEqual({
    streamUrl: 'https://stream.example/2',
    isNew: true,
  });
});

test('the minute begins when the token is there', async () => {
  const recentTokens = createRecentTokens();
  let arrive = (_streamUrl: string) => {};
  const slow = recentTokens.get('key', () => new Promise((resolve) => (arrive = resolve)));
  vi.advanceTimersByTime(4_000);
  arrive('https://stream.example/slow');
  await slow;
  vi.advanceTimersByTime(MINUTE_MS - 1);
  const create = maker();
  await recentTokens.get('key', create);
  expect(create).not.toHaveBeenCalled();
});

test('requests that arrive together make one token', async () => {
  const recentTokens = createRecentTokens();
  const create = maker();
  const got = await Promise.all([1, 2, 3].map(() => recentTokens.get('key', create)));
  expect(got.map(({ isNew }) => isNew)).toEqual([true, false, false]);
  expect(create).toHaveBeenCalledTimes(1);
});

test('a failure reaches all that wait for it, and is not kept', async () => {
  const recentTokens = createRecentTokens();
  const fail = vi.fn(async () => {
    throw new Error('no provider');
  });
  const outcomes = await Promise.allSettled([1, 2].map(() => recentTokens.get('key', fail)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(fail).toHaveBeenCalledTimes(1);
  expect(await recentTokens.get('key', maker())).toMatchObject({ isNew: true });
});

test('no token stays in memory after its minute', async () => {
  const recentTokens = createRecentTokens();
  for (let key = 0; key < 100; key += 1) await recentTokens.get(`key-${key}`, maker());
  expect(vi.getTimerCount()).toBe(100);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(vi.getTimerCount()).toBe(0);
});
