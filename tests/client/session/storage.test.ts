// @vitest-environment jsdom
import { expect, test, vi } from 'vitest';
import { observedStorage } from '../../../client/session/storage.ts';

/** A storage that can be told to refuse, as browsers do in private windows or over quota. */
function fakeStorage(kept: Record<string, string> = {}) {
  const storage = {
    kept,
    refusesReads: false,
    refusesWrites: false,
    getItem(key: string) {
      if (storage.refusesReads) throw new Error('SecurityError');
      return kept[key] ?? null;
    },
    setItem(key: string, value: string) {
      if (storage.refusesWrites) throw new Error('QuotaExceededError');
      kept[key] = value;
    },
    removeItem(key: string) {
      if (storage.refusesWrites) throw new Error('SecurityError');
      delete kept[key];
    },
  };
  return storage;
}

test.each([
  ['refuses writes', () => Object.assign(fakeStorage({ token: 'old' }), { refusesWrites: true })],
  ['refuses all', () => Object.assign(fakeStorage(), { refusesReads: true, refusesWrites: true })],
  [
    'cannot be opened',
    () => {
      throw new Error('SecurityError');
    },
  ],
])('values are kept in memory when the browser’s storage %s', (_, open) => {
  const storage = observedStorage(open);
  storage.setItem('token', 'a');
  expect(storage.getItem('token')).toBe('a');
  storage.removeItem('token');
  expect(storage.getItem('token')).toBeNull();
});

test('an unreadable storage reads as empty', () => {
  const unreadable = Object.assign(fakeStorage({ token: 'a' }), { refusesReads: true });
  expect(observedStorage(() => unreadable).getItem('token')).toBeNull();
});

test('a storage that refused one write is used again for the next', () => {
  const storage = fakeStorage();
  const observed = observedStorage(() => storage);
  storage.refusesWrites = true;
  observed.setItem('token', 'old');
  storage.refusesWrites = false;
  observed.setItem('token', 'new');
  expect([storage.kept.token, observed.getItem('token')]).toEqual(['new', 'new']);
});

test.each([true, false])(
  'listeners are called for each change in this tab while writes are refused: %s',
  (refusesWrites) => {
    const observed = observedStorage(() => Object.assign(fakeStorage(), { refusesWrites }));
    const seen: unknown[] = [];
    observed.subscribe(() => seen.push(observed.getItem('token')));
    observed.setItem('token', 'a');
    observed.removeItem('token');
    expect(seen).toHaveLength(2);
  },
);

test.each(['storage', 'pageshow'])('listeners are called on %s until they unsubscribe', (event) => {
  const onChange = vi.fn();
  const unsubscribe = observedStorage(() => fakeStorage()).subscribe(onChange);
  window.dispatchEvent(new Event(event));
  unsubscribe();
  window.dispatchEvent(new Event(event));
  expect(onChange).toHaveBeenCalledTimes(1);
});
