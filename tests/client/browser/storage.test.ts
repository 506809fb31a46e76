import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { observedStorage } from '../../../client/browser/storage.ts';

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

function refuse(...methods: ('getItem' | 'setItem' | 'removeItem')[]): void {
  for (const method of methods) {
    vi.spyOn(Storage.prototype, method).mockImplementation(() => {
      throw new Error('SecurityError');
    });
  }
}

const observed = () => observedStorage(() => localStorage);

test.each([
  ['writes', ['setItem', 'removeItem']],
  ['everything', ['getItem', 'setItem', 'removeItem']],
] as const)('values are kept in memory while the browser refuses %s', (_, methods) => {
  localStorage.setItem('token', 'old');
  refuse(...methods);
  const storage = observed();
  storage.setItem('token', 'a');
  expect(storage.getItem('token')).toBe('a');
  storage.removeItem('token');
  expect(storage.getItem('token')).toBeNull();
});

test('an unreadable storage reads as empty', () => {
  localStorage.setItem('token', 'a');
  refuse('getItem');
  expect(observed().getItem('token')).toBeNull();
});

test('a storage that refused one write is used again for the next', () => {
  const storage = observed();
  refuse('setItem');
  storage.setItem('token', 'old');
  vi.restoreAllMocks();
  storage.setItem('token', 'new');
  expect([localStorage.getItem('token'), storage.getItem('token')]).toEqual(['new', 'new']);
});

test('another tab’s write replaces a refused one, even where it restores the value', () => {
  localStorage.setItem('token', 'stored');
  refuse('setItem');
  const storage = observed();
  onTestFinished(storage.subscribe(() => {}));
  storage.setItem('token', 'refused');
  for (const newValue of ['other', 'stored'])
    window.dispatchEvent(new StorageEvent('storage', { key: 'token', newValue }));
  expect(storage.getItem('token')).toBe('stored');
});

test('listeners are called for each change in this tab, even one that the browser refused', () => {
  const storage = observed();
  const seen: unknown[] = [];
  storage.subscribe(() => seen.push(storage.getItem('token')));
  storage.setItem('token', 'a');
  refuse('removeItem');
  storage.removeItem('token');
  expect(seen).toEqual(['a', null]);
});

test.each([
  ['storage', () => new StorageEvent('storage', { key: 'token' })],
  ['pageshow', () => new PageTransitionEvent('pageshow', { persisted: true })],
])('listeners are called on %s until they unsubscribe', (_name, event) => {
  const onChange = vi.fn();
  const storage = observed();
  const unsubscribe = storage.subscribe(onChange);
  window.dispatchEvent(event());
  unsubscribe();
  window.dispatchEvent(event());
  storage.setItem('token', 'a');
  expect(onChange).toHaveBeenCalledTimes(1);
});
