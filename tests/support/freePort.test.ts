import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function portsOf(worker: string, count: number): Promise<number[]> {
  vi.stubEnv('VITEST_POOL_ID', worker);
  vi.resetModules();
  const { freePort } = await import('./freePort.ts');
  return Promise.all(Array.from({ length: count }, freePort));
}

test('nobody is given a port that another one was given, in the same worker or in one beside it', async () => {
  // No run has as many workers, so nobody is disturbed.
  const given = [...(await portsOf('15', 300)), ...(await portsOf('16', 300))];
  expect(new Set(given).size).toBe(600);
});
