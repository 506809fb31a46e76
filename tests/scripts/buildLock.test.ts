import { existsSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { withBuildLock } from '../../scripts/buildLock.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const lockIn = (folder: string) => path.join(folder, 'build-lock');

test('holders of the lock follow one another, and the last one leaves nothing behind', async () => {
  const folder = path.join(temporaryFolder(), 'new/folder');
  const events: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => events.push(text));
  let second: Promise<unknown> = Promise.resolve();

  await withBuildLock(async () => {
    second = withBuildLock(async () => events.push('second'), folder);
    await expect.poll(() => log).toHaveBeenCalled();
    events.push('first ends');
  }, folder);
  await second;
  log.mockRestore();

  expect(events).toEqual(['Another process is building: waiting for it.', 'first ends', 'second']);
  expect(existsSync(lockIn(folder))).toBe(false);
});

test('work that fails gives the lock back', async () => {
  const folder = temporaryFolder();
  await expect(withBuildLock(() => Promise.reject(new Error('failed')), folder)).rejects.toThrow('failed');
  expect(existsSync(lockIn(folder))).toBe(false);
});

test('the lock of a killed process is taken over after five seconds', async () => {
  const folder = temporaryFolder();
  mkdirSync(lockIn(folder));
  const diedAt = new Date(Date.now() - 5_001);
  utimesSync(lockIn(folder), diedAt, diedAt);
  expect(await withBuildLock(async () => 'done', folder)).toBe('done');
});

test('a holder at work touches its lock', async () => {
  const folder = temporaryFolder();
  await withBuildLock(async () => {
    const touchedAt = () => statSync(lockIn(folder)).mtimeMs;
    const first = touchedAt();
    await expect.poll(touchedAt).toBeGreaterThan(first);
  }, folder);
});
