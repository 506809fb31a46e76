import { format } from 'node:util';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/*
 * Fails a test that writes to `console.error` or `console.warn`. One that expects it replaces the method itself:
 * `const warn = vi.spyOn(console, 'warn').mockReturnValue();`
 */

const unexpected: string[] = [];

beforeEach(() => {
  unexpected.length = 0;
  for (const method of ['error', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...said) => void unexpected.push(format(...said)));
  }
});

// A restored spy keeps no implementation that the test gave it.
afterEach(() => {
  vi.spyOn(console, 'error').mockRestore();
  vi.spyOn(console, 'warn').mockRestore();
  expect(unexpected, 'unexpected console.error or console.warn').toEqual([]);
});
