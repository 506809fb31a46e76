import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSignInQueue } from '../../../server/signIn/signInQueue.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends when told. `begun` holds the names in the order in which their work began. */
function heldWork({ concurrency = 1, maxWaiting = 10, maxWaitMs = 60_000 }) {
  const begun: string[] = [];
  const held = new Map<string, { end(): void; fail(error: Error): void }>();
  const inQueue = createSignInQueue({ concurrency, maxWaiting, maxWaitMs });
  return {
    begun,
    held,
    start(name: string, priority = 0) {
      const work = () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          held.set(name, { end: () => resolve(`${name} done`), fail: reject });
        });
      return inQueue(work, priority).catch((error: unknown) => error);
    },
  };
}

const REFUSED = { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } };

describe('the queue of sign-ins', () => {
  test('runs so many at once and no more; the others wait, in their order', async () => {
    const { begun, held, start } = heldWork({ concurrency: 2 });
    const answers = ['a', 'b', 'c', 'd'].map((name) => start(name));
    expect(begun).toEqual(['a', 'b']);
    held.get('b')?.end();
    expect(await answers[1]).toBe('b done');
    await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
    held.get('a')?.end();
    await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);
    held.get('c')?.end();
    held.get('d')?.end();
    expect(await Promise.all(answers)).toEqual(['a done', 'b done', 'c done', 'd done']);
  });

  test('refuses more than may wait at once, with RATE_LIMITED and a second to wait', async () => {
    const { begun, held, start } = heldWork({ maxWaiting: 2 });
    const taken = ['a', 'b', 'c'].map((name) => start(name));
    expect(await start('d')).toMatchObject(REFUSED);
    for (const name of ['a', 'b', 'c']) {
      await expect.poll(() => begun).toContain(name);
      held.get(name)?.end();
    }
    expect(await Promise.all(taken)).toEqual(['a done', 'b done', 'c done']);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('takes a higher priority first, and has room for it when a flood has filled another', async () => {
    const { begun, held, start } = heldWork({ maxWaiting: 2 });
    for (const name of ['flood-1', 'flood-2', 'flood-3', 'flood-4']) start(name);
    const owner = start('owner', 1);
    held.get('flood-1')?.end();
    await expect.poll(() => begun).toEqual(['flood-1', 'owner']);
    held.get('owner')?.end();
    expect(await owner).toBe('owner done');
  });

  test('refuses those whose turn does not come in time, which leaves their place to others; what runs may take longer', async () => {
    vi.useFakeTimers();
    const { begun, held, start } = heldWork({ maxWaiting: 2, maxWaitMs: 2_000 });
    const running = start('a');
    const second = start('b');
    await vi.advanceTimersByTimeAsync(999);
    const [inTime, tooMany] = [start('c'), start('d')];
    expect(await tooMany).toMatchObject(REFUSED);
    held.get('a')?.end();
    expect(await running).toBe('a done');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await inTime).toMatchObject(REFUSED);

    const next = start('e');
    await vi.advanceTimersByTimeAsync(0);
    held.get('b')?.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(begun).toEqual(['a', 'b', 'e']);
    held.get('e')?.end();
    expect([await second, await next]).toEqual(['b done', 'e done']);
  });

  test('goes on after work that fails', async () => {
    const { begun, held, start } = heldWork({});
    const [failing, next] = [start('a'), start('b')];
    held.get('a')?.fail(new Error('out of memory'));
    expect(await failing).toMatchObject({ message: 'out of memory' });
    await expect.poll(() => begun).toEqual(['a', 'b']);
    held.get('b')?.end();
    expect(await next).toBe('b done');
  });
});
