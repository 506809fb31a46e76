/** A longer gap between two checks counts as this much: timers are late on hidden pages and after sleep. */
const LONGEST_GAP_COUNTED_MS = 2_000;

/** How long the playback position (seconds) has not moved; `at` is in milliseconds of the monotonic clock. */
export type Progress = { at: number; position: number; isMoving: boolean; stalledMs: number };

export function startProgress(at: number): Progress {
  return { at, position: 0, isMoving: false, stalledMs: 0 };
}

/**
 * The first check that finds the position unmoved counts nothing: on a busy computer Firefox may run two checks before
 * it moves the position on.
 */
export function updateProgress(before: Progress, at: number, position: number): Progress {
  if (position !== before.position) return { at, position, isMoving: true, stalledMs: 0 };
  const gapMs = before.isMoving ? 0 : Math.min(at - before.at, LONGEST_GAP_COUNTED_MS);
  return { ...before, at, isMoving: false, stalledMs: before.stalledMs + gapMs };
}
