import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { PROJECT_ROOT } from '../server/config/paths.ts';

const POLL_MS = 100;
const TOUCH_MS = 1_000;
/** The lock of a killed process is taken over; its pid would prove nothing, since containers use the same ones again. */
const ABANDONED_AFTER_MS = 5_000;

/**
 * Runs `work` while no other process writes generated code or `dist/`, waiting for it as long as it takes.
 * @param folder - the folder of the lock
 */
export async function withBuildLock<T>(
  work: () => Promise<T>,
  folder = path.join(PROJECT_ROOT, 'dist'),
): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const release = await acquire(folder);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(folder: string): Promise<() => Promise<void>> {
  const lockfilePath = path.join(folder, 'build-lock');
  for (let waiting = false; ; waiting = true) {
    try {
      return await lock(folder, { lockfilePath, stale: ABANDONED_AFTER_MS, update: TOUCH_MS });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    }
    if (!waiting) console.log('Another process is building: waiting for it.');
    await delay(POLL_MS);
  }
}
