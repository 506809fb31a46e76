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
])('what a storage that %s refuses to keep is kept in memory for the visit', (_, refusesReads) => {
  const storage = new FakeStorage();
  storage.refusesReads = refusesReads;
  storage.refusesWrites = true;
  const kept = observedStorage(() => storage);
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('a storage that cannot even be reached crashes nothing', () => {
  const kept = observedStorage(() => {
    throw new Error('SecurityError');
  });
  expect(kept.getItem('token')).toBeNull();
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
});

test('what the browser refuses to remove does not come back', () => {
  const storage = new FakeStorage({ token: 'a' });
  const kept = observedStorage(() => storage);
  storage.refusesWrites = true;
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('a storage that refused for a moment is used again afterwards', () => {
  const storage = new FakeStorage();
  const kept = observedStorage(() => storage);
  storage.refusesWrites = true;
  kept.setItem('token', 'old');
  storage.refusesWrites = false;
  kept.setItem('token', 'new');
  expect(storage.kept.get('token')).toBe('new');
  expect(kept.getItem('token')).toBe('new');
});

describe('a change is told', () => {
  test.each([true, false])('of this tab, as it is made, kept by the browser or not: %s', (isKept) => {
    const storage = new FakeStorage();
    storage.refusesWrites = !isKept;
    const kept = observedStorage(() => storage);
    const seen: unknown[] = [];
    kept.subscribe(() => seen.push(kept.getItem('token')));
    kept.setItem('token', 'a');
    kept.removeItem('token');
    expect(seen).toEqual(['a', null]);
  });

  test.each(['storage', 'pageshow'])('of another tab, on the %s event, until unsubscribed', (event) => {
    const onChange = vi.fn();
    const unsubscribe = observedStorage(() => new FakeStorage()).subscribe(onChange);
    window.dispatchEvent(new Event(event));
    expect(onChange).toHaveBeenCalledTimes(1);
    unsubscribe();
    window.dispatchEvent(new Event(event));
    expect(onChange).toHaveBeenCalledTimes(1);
  });
});
