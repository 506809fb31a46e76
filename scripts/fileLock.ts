import { closeSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
const HEARTBEAT_MS = 1_000;
const ABANDONED_AFTER_MS = 5_000;

export type FileLockOptions = {
  /** Called once when another process holds the lock. */
  onWait?: () => void;
  /** For how long nobody touched the lock of a holder that is taken for dead. */
  abandonedAfterMs?: number;
  /** How often the holder touches the lock. */
  heartbeatMs?: number;
};

/**
 * Runs `work` while holding a lock that at most one process holds at a time, waiting for it as long as it takes.
 * The holder touches the file every second: one that nobody touches for five was left behind by a killed process
 * and is taken over. (Its pid would prove nothing: containers hand out the same ones again.)
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true });
  await acquire(file, options);
  const heartbeat = setInterval(() => touch(file), options.heartbeatMs ?? HEARTBEAT_MS);
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', release);
    release();
  }
}

async function acquire(
  file: string,
  { onWait = () => {}, abandonedAfterMs = ABANDONED_AFTER_MS }: FileLockOptions,
): Promise<void> {
  let seenTouchMs: number | undefined;
  let seenSinceMs = 0;
  let waiting = false;
  while (!create(file)) {
    if (!waiting) onWait();
    waiting = true;
    const touchMs = lastTouch(file);
    if (touchMs !== seenTouchMs) {
      seenTouchMs = touchMs;
      seenSinceMs = performance.now();
    } else if (performance.now() - seenSinceMs > abandonedAfterMs) {
      removeAbandoned(file, touchMs);
    }
    await delay(POLL_MS);
  }
}

function create(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Takes the file away first and looks at it then: another waiter may have replaced it since we last looked. */
function removeAbandoned(file: string, expectedTouchMs: number | undefined): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (lastTouch(aside) !== expectedTouchMs) linkSync(aside, file);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function lastTouch(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
