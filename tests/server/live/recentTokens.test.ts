import { beforeEach, expect, test, vi } from 'vitest';
import { createRecentTokens, type RecentTokens } from '../../../server/live/recentTokens.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

let now: number;
let recentTokens: RecentTokens;
beforeEach(() => {
  now = Date.now();
  recentTokens = createRecentTokens(() => new Date(now));
});

function maker() {
  let made = 0;
  return vi.fn(async () => `https://stream.example/${++made}`);
}

test('a key has one token for a minute after it was made', async () => {
  const create = maker();
  const first = await recentTokens.get('key', create);
  now += MINUTE_MS - 1;
  expect(await recentTokens.get('key', create)).toEqual({ ...first, isNew: false });
  now += 1;
  expect(await recentTokens.get('key', create)).toEqual({
    streamUrl: 'https://stream.example/2',
    isNew: true,
  });
});

test('the minute begins when the token is there', async () => {
  await recentTokens.get('key', async () => {
    await Promise.resolve();
    now += 4_000;
    return 'https://stream.example/slow';
  });
  now += MINUTE_MS - 1;
  const create = maker();
  await recentTokens.get('key', create);
  expect(create).not.toHaveBeenCalled();
});

test('a clock that is set back keeps no token for longer', async () => {
  const create = maker();
  await recentTokens.get('key', create);
  now -= 1;
  expect(await recentTokens.get('key', create)).toMatchObject({ isNew: true });
});

test('each new token lets go of those that are no longer recent, so that they do not add up', async () => {
  const create = maker();
  await recentTokens.get('old', create);
  now += MINUTE_MS;
  await recentTokens.get('new', create);
  // A clock set back would make a token that is still remembered recent again.
  now -= MINUTE_MS / 2;
  expect(await recentTokens.get('old', create)).toMatchObject({ isNew: true });
});

test('requests that arrive together make one token', async () => {
  const create = maker();
  const got = await Promise.all([1, 2, 3].map(() => recentTokens.get('key', create)));
  expect(got.map(({ isNew }) => isNew)).toEqual([true, false, false]);
  expect(new Set(got.map(({ streamUrl }) => streamUrl)).size).toBe(1);
  expect(create).toHaveBeenCalledTimes(1);
});

test('a failure that reaches all who wait is not kept', async () => {
  const fail = vi.fn(async () => {
    throw new Error('no provider');
  });
  const outcomes = await Promise.allSettled([1, 2].map(() => recentTokens.get('key', fail)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(fail).toHaveBeenCalledTimes(1);
  expect(await recentTokens.get('key', maker())).toMatchObject({ isNew: true });
});
