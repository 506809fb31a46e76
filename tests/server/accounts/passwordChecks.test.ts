import { describe, expect, test, vi } from 'vitest';
import { type Browser, createPasswordChecks } from '../../../server/accounts/passwordChecks.ts';

/** Checks that end when told. `order` holds the passwords in the order in which their check began. */
function heldChecks(limits: { atOnce: number; maxWaiting: number }) {
  const order: string[] = [];
  const held: Array<{ end(matches: boolean): void; fail(error: Error): void }> = [];
  const checks = createPasswordChecks({
    ...limits,
    verify: (_hash, password) =>
      new Promise((end, fail) => {
        order.push(password);
        held.push({ end, fail });
      }),
  });
  const start = (password: string, browser: Browser = 'unknown') =>
    checks.check('a hash', password, browser).catch((error: unknown) => error);
  return { checks, order, held, start };
}

describe('password checks', () => {
  test('run so many at once and no more; the others wait for their turn', async () => {
    const { order, held, start } = heldChecks({ atOnce: 2, maxWaiting: 10 });
    const answers = ['a', 'b', 'c', 'd'].map((password) => start(password));
    expect(order).toEqual(['a', 'b']);
    held[1]?.end(true);
    expect(await answers[1]).toBe(true);
    await vi.waitFor(() => expect(order).toEqual(['a', 'b', 'c']));
    held[0]?.end(false);
    held[2]?.end(true);
    await vi.waitFor(() => expect(order).toEqual(['a', 'b', 'c', 'd']));
    held[3]?.end(true);
    expect(await Promise.all(answers)).toEqual([false, true, true, true]);
  });

  test('more than may wait are refused at once with RATE_LIMITED and a second to wait', async () => {
    const { checks, order, held, start } = heldChecks({ atOnce: 1, maxWaiting: 2 });
    const taken = ['a', 'b', 'c'].map((password) => start(password));
    expect(checks.hasRoom('unknown')).toBe(false);
    expect(await start('d')).toMatchObject({
      extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 },
    });
    for (const [index, answer] of taken.entries()) {
      await vi.waitFor(() => expect(order).toHaveLength(index + 1));
      held[index]?.end(true);
      expect(await answer).toBe(true);
    }
    expect(order).toEqual(['a', 'b', 'c']);
    expect(checks.hasRoom('unknown')).toBe(true);
  });

  test('a known browser has room where a flood has filled all, and comes before it', async () => {
    const { checks, order, held, start } = heldChecks({ atOnce: 1, maxWaiting: 2 });
    for (const password of ['flood-1', 'flood-2', 'flood-3', 'flood-4']) start(password);
    expect(checks.hasRoom('known')).toBe(true);
    const owner = start('owner', 'known');
    held[0]?.end(false);
    await vi.waitFor(() => expect(order).toEqual(['flood-1', 'owner']));
    held[1]?.end(true);
    expect(await owner).toBe(true);
  });

  test('a check that fails makes room for the next', async () => {
    const { order, held, start } = heldChecks({ atOnce: 1, maxWaiting: 1 });
    const [failing, next] = [start('a'), start('b')];
    held[0]?.fail(new Error('out of memory'));
    expect(await failing).toMatchObject({ message: 'out of memory' });
    await vi.waitFor(() => expect(order).toEqual(['a', 'b']));
    held[1]?.end(true);
    expect(await next).toBe(true);
  });
});
