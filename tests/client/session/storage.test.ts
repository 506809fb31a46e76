import { expect, test } from 'vitest';
import { withMemoryFallback } from '../../../client/session/storage.ts';
import { FakeStorage } from './fakeStorage.ts';

test('what the browser refuses to keep is kept in memory for the visit', () => {
  const storage = new FakeStorage();
  storage.refusesReads = true;
  storage.refusesWrites = true;
  const kept = withMemoryFallback(() => storage);
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('a storage that cannot even be reached crashes nothing', () => {
  const kept = withMemoryFallback(() => {
    throw new Error('SecurityError');
  });
  expect(kept.getItem('token')).toBeNull();
  kept.setItem('token', 'a');
  expect(kept.getItem('token')).toBe('a');
});

test('what the browser refuses to remove does not come back', () => {
  const storage = new FakeStorage({ token: 'a' });
  const kept = withMemoryFallback(() => storage);
  storage.refusesWrites = true;
  kept.removeItem('token');
  expect(kept.getItem('token')).toBeNull();
});

test('a storage that refused for a moment is used again afterwards', () => {
  const storage = new FakeStorage();
  const kept = withMemoryFallback(() => storage);
  storage.refusesWrites = true;
  kept.setItem('token', 'old');
  storage.refusesWrites = false;
  kept.setItem('token', 'new');
  expect(storage.kept.get('token')).toBe('new');
  expect(kept.getItem('token')).toBe('new');
});
