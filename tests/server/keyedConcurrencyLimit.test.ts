import { expect, test } from 'vitest';
import { createKeyedConcurrencyLimit } from '../../server/keyedConcurrencyLimit.ts';

const forever = () => new Promise<never>(() => {});

test('work beyond the limit of its key is refused without being run', async () => {
  const limit = createKeyedConcurrencyLimit({ maxAtOnce: 2 });
  for (let run = 0; run < 2; run += 1) void limit.run('uno', forever);
  let hasRun = false;
  const refused = limit.run('uno', async () => {
    hasRun = true;
  });
  await expect(refused).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: 'Too many requests at once, try again in 1 second',
    details: { retryAfterSeconds: 1 },
  });
  expect(hasRun).toBe(false);
  expect(await limit.run('dos', async () => 'another key runs')).toBe('another key runs');
});

test('work that ends or fails frees its place', async () => {
  const limit = createKeyedConcurrencyLimit({ maxAtOnce: 1 });
  expect(await limit.run('uno', async () => 'first')).toBe('first');
  await expect(limit.run('uno', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await limit.run('uno', async () => 'next')).toBe('next');
});
