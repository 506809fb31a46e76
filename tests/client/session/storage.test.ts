// @vitest-environment jsdom
import { describe, expect, test, vi } from 'vitest';
import { observedStorage } from '../../../client/session/storage.ts';

/** A `Storage` that can be told to refuse, as browsers do in private windows or over quota. */
class FakeStorage {
  readonly kept = new Map<string, string>();
  refusesReads = false;
  refusesWrites = false;

  constructor(kept: Record<string, string> = {}) {
    for (const [key, value] of Object.entries(kept)) this.kept.set(key, value);
  }

  getItem(key: string): string | null {
    if (this.refusesReads) throw new Error('SecurityError');
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.refusesWrites) throw new Error('QuotaExceededError');
    this.kept.set(key, value);
  }

  removeItem(key: string): void {
    if (this.refusesWrites) throw new Error('SecurityError');
    this.kept.delete(key);
  }
}

test.each([
  ['is full', false],
  ['is switched off', true],
])('when the browser’s storage %s, values are kept in memory during the visit', (_, refusesReads) => {
  const storage = new FakeStorage();
  storage.refusesReads = refusesReads;
  storage.refusesWrites = true;
  const kept = observedStorage(() => storage);
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('when access to the browser’s storage throws, values are kept in memory too', () => {
  const kept = observedStorage(() => {
    throw new Error('SecurityError');
  });
  expect(kept.getItem('token')).toBeNull();
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
});

test('a removed value stays removed even if the browser refuses to delete it', () => {
  const storage = new FakeStorage({ token: 'a' });
  const kept = observedStorage(() => storage);
  storage.refusesWrites = true;
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('a storage that refused one write is used again for the next', () => {
  const storage = new FakeStorage();
  const kept = observedStorage(() => storage);
  storage.refusesWrites = true;
  kept.setItem('token', 'old');
  storage.refusesWrites = false;
  kept.setItem('token', 'new');
  expect(storage.kept.get('token')).toBe('new');
  expect(kept.getItem('token')).toBe('new');
});

describe('listeners are called', () => {
  test.each([true, false])('at once for each change in this tab; kept by the browser: %s', (isKept) => {
    const storage = new FakeStorage();
    storage.refusesWrites = !isKept;
    const kept = observedStorage(() => storage);
    const seen: unknown[] = [];
    kept.subscribe(() => seen.push(kept.getItem('token')));
    kept.setItem('token', 'a');
    kept.removeItem('token');
    expect(seen).toEqual(['a', null]);
  });

  test.each(['storage', 'pageshow'])(
    'for a change in another tab, on the %s event, until they unsubscribe',
    (event) => {
      const onChange = vi.fn();
      const unsubscribe = observedStorage(() => new FakeStorage()).subscribe(onChange);
      window.dispatchEvent(new Event(event));
      expect(onChange).toHaveBeenCalledTimes(1);
      unsubscribe();
      window.dispatchEvent(new Event(event));
      expect(onChange).toHaveBeenCalledTimes(1);
    },
  );
});
