import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withFileLock } from '../../scripts/fileLock.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('holders of a lock follow one another, and the last one leaves nothing behind', async () => {
  const lock = path.join(temporaryFolder(), 'new/folder/lock');
  const events: string[] = [];
  let second: Promise<unknown> = Promise.resolve();

  await withFileLock(lock, async () => {
    events.push('first starts');
    await new Promise<void>((onWait) => {
      second = withFileLock(lock, async () => events.push('second'), { onWait });
    });
    events.push('second waits');
  });
  await second;

  expect(events).toEqual(['first starts', 'second waits', 'second']);
  expect(existsSync(lock)).toBe(false);
});

test('work that fails gives the lock back', async () => {
  const lock = path.join(temporaryFolder(), 'lock');
  await expect(withFileLock(lock, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(existsSync(lock)).toBe(false);
});

test('the lock of a killed process is taken over', async () => {
  const folder = temporaryFolder({ lock: '' });
  const work = withFileLock(path.join(folder, 'lock'), async () => 'done', { abandonedAfterMs: 200 });
  expect(await work).toBe('done');
});

test('a lock that its holder still touches is not taken over', async () => {
  const lock = path.join(temporaryFolder(), 'lock');
  let held = true;
  const long = withFileLock(
    lock,
    async () => {
      await delay(1_300);
      held = false;
    },
    { heartbeatMs: 150 },
  );
  await withFileLock(lock, async () => expect(held).toBe(false), { abandonedAfterMs: 1_000 });
  await long;
});
