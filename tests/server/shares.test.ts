import { describe, expect, test } from 'vitest';
import { createShare } from '../../server/shares.ts';

/** Work that ends when told. */
function heldWork() {
  let end: (result: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const result = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { work: () => result, end, fail };
}

const REFUSED = { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } };

describe('a share', () => {
  test('lets a key have so many runs at once and refuses the next at once, whatever other keys do', async () => {
    const share = createShare({ maxAtOnce: 2 });
    const [first, second, other] = [heldWork(), heldWork(), heldWork()];
    const running = [
      share.run('uno', first.work),
      share.run('uno', second.work),
      share.run('dos', other.work),
    ];
    let hasRun = false;
    const refused = share.run('uno', async () => {
      hasRun = true;
    });
    await expect(refused).rejects.toMatchObject(REFUSED);
    expect(hasRun).toBe(false);

    first.end('first');
    expect(await running[0]).toBe('first');
    expect(await share.run('uno', async () => 'next')).toBe('next');
    second.end('second');
    other.end('other');
    expect(await Promise.all(running)).toEqual(['first', 'second', 'other']);
  });

  test('frees the place of work that fails', async () => {
    const share = createShare({ maxAtOnce: 1 });
    const failing = heldWork();
    const running = share.run('uno', failing.work);
    failing.fail(new Error('out of memory'));
    await expect(running).rejects.toThrow('out of memory');
    expect(await share.run('uno', async () => 'next')).toBe('next');
  });

  test('tells the work how many other runs of its key are under way', async () => {
    const share = createShare({ maxAtOnce: 3 });
    const held = heldWork();
    const first = share.run('uno', held.work);
    expect(await share.run('uno', async (others) => others)).toBe(1);
    expect(await share.run('dos', async (others) => others)).toBe(0);
    held.end('first');
    await first;
    expect(await share.run('uno', async (others) => others)).toBe(0);
  });
});
