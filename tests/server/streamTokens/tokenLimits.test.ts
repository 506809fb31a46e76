import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenLimits } from '../../../server/streamTokens/tokenLimits.ts';

const MINUTE_MS = 60_000;
const TOOLS = { accountId: 'uno', client: 'TOOL', keyName: null } as const;
const BROWSERS = { accountId: 'uno', client: 'BROWSER', keyName: null } as const;
const OTHERS = { accountId: 'dos', client: 'TOOL', keyName: null } as const;

const key = (keyName: string) => ({ ...TOOLS, keyName });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const work = vi.fn(async () => 'token');
const limited = (retryAfterSeconds: number) => ({
  status: 'rejected',
  reason: expect.objectContaining({ code: 'RATE_LIMITED', details: { retryAfterSeconds } }),
});

/** Returns the outcome of one request. */
async function outcomeOf(request: Promise<string>) {
  const [outcome] = await Promise.allSettled([request]);
  return outcome;
}

/** Limits whose minute the tools have used up. */
async function usedUp() {
  const limitTokens = createTokenLimits();
  for (let count = 0; count < 60; count += 1) await limitTokens(TOOLS, work);
  return limitTokens;
}

test('a minute has 60 requests and begins with the first of them, for each account, its tools and its browsers', async () => {
  const limitTokens = createTokenLimits();
  await limitTokens(TOOLS, work);
  vi.advanceTimersByTime(MINUTE_MS - 10_001);
  for (let count = 1; count < 60; count += 1) await limitTokens(TOOLS, work);
  work.mockClear();
  expect(await outcomeOf(limitTokens(TOOLS, work))).toEqual(limited(11));
  vi.advanceTimersByTime(10_000);
  expect(await outcomeOf(limitTokens(TOOLS, work))).toEqual(limited(1));
  expect(work).not.toHaveBeenCalled();
  for (const callers of [BROWSERS, OTHERS]) expect(await limitTokens(callers, work)).toBe('token');
  vi.advanceTimersByTime(1);
  expect(await limitTokens(TOOLS, work)).toBe('token');
});

test('a request refused because 4 are under way does not count towards the minute', async () => {
  const limitTokens = createTokenLimits();
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const underWay = Array.from({ length: 4 }, () => limitTokens(TOOLS, () => held));
  for (let count = 0; count < 100; count += 1) {
    expect(await outcomeOf(limitTokens(TOOLS, work))).toEqual(limited(1));
  }
  end();
  await Promise.all(underWay);
  for (let count = 4; count < 60; count += 1) await limitTokens(TOOLS, work);
  expect(await outcomeOf(limitTokens(TOOLS, work))).toEqual(limited(60));
});

test.each([-3_600_000, 3_600_000])(
  'nobody waits longer than a minute, even if the clock is put forward by %d ms',
  async (ms) => {
    const limitTokens = await usedUp();
    vi.setSystemTime(Date.now() + ms);
    const outcome = await outcomeOf(limitTokens(TOOLS, work));
    if (ms < 0) expect(outcome).toEqual(limited(60));
    vi.advanceTimersByTime(MINUTE_MS);
    expect(await limitTokens(TOOLS, work)).toBe('token');
  },
);

test('a count is forgotten after its minute', async () => {
  const limitTokens = createTokenLimits();
  for (let count = 0; count < 100; count += 1) {
    await limitTokens({ accountId: `account-${count}`, client: 'TOOL', keyName: null }, work);
  }
  expect(vi.getTimerCount()).toBe(100);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(vi.getTimerCount()).toBe(0);
});

test('a key may make a third of its account’s requests, and leaves the rest to the others', async () => {
  const limitTokens = createTokenLimits();
  for (let count = 0; count < 20; count += 1) await limitTokens(key('loop'), work);
  vi.advanceTimersByTime(10_000);
  for (let count = 0; count < 100; count += 1) {
    expect(await outcomeOf(limitTokens(key('loop'), work))).toEqual(limited(50));
  }
  for (let count = 0; count < 20; count += 1) await limitTokens(key('recorder'), work);
  for (let count = 0; count < 20; count += 1) await limitTokens(TOOLS, work);
  expect(await outcomeOf(limitTokens(TOOLS, work))).toEqual(limited(50));
});

test('a key has at most 2 requests under way', async () => {
  const limitTokens = createTokenLimits();
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const underWay = [1, 2].map(() => limitTokens(key('loop'), () => held));
  expect(await outcomeOf(limitTokens(key('loop'), work))).toEqual(limited(1));
  expect(await limitTokens(key('recorder'), work)).toBe('token');
  end();
  await Promise.all(underWay);
  expect(await limitTokens(key('loop'), work)).toBe('token');
});

test('a request that the account’s limit refuses does not count against its key', async () => {
  const limitTokens = createTokenLimits();
  for (let count = 0; count < 60; count += 1) await limitTokens(TOOLS, work);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  for (let count = 0; count < 30; count += 1) {
    expect(await outcomeOf(limitTokens(key('recorder'), work))).toEqual(limited(1));
  }
  vi.advanceTimersByTime(1);
  for (let count = 0; count < 20; count += 1) expect(await limitTokens(key('recorder'), work)).toBe('token');
});

test('keys of two accounts with one name have limits of their own', async () => {
  const limitTokens = createTokenLimits();
  for (let count = 0; count < 20; count += 1) await limitTokens(key('codec'), work);
  expect(await limitTokens({ ...OTHERS, keyName: 'codec' }, work)).toBe('token');
});
