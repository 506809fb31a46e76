import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { check, lock } from 'proper-lockfile';
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
  const options = {
    lockfilePath: path.join(folder, 'build-lock'),
    stale: ABANDONED_AFTER_MS,
    update: TOUCH_MS,
  };
  if (await check(folder, options)) console.log('Another process is building: waiting for it.');
  const retries = { forever: true, factor: 1, minTimeout: POLL_MS, maxTimeout: POLL_MS };
  const release = await lock(folder, { ...options, retries });
  try {
    return await work();
  } finally {
    await release();
  }
}
