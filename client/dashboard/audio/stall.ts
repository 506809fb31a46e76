/** A check that comes later says little: the timers of hidden pages and sleeping machines are late. */
const LONGEST_GAP_COUNTED_MS = 2_000;

/** For how long the checks have found the playback position (seconds) unmoved; `at` is monotonic, in ms. */
export type Progress = { at: number; position: number; stalledMs: number };

export function startProgress(at: number): Progress {
  return { at, position: 0, stalledMs: 0 };
}

export function updateProgress(before: Progress, at: number, position: number): Progress {
  if (position !== before.position) return { at, position, stalledMs: 0 };
  const gapMs = Math.min(at - before.at, LONGEST_GAP_COUNTED_MS);
  return { ...before, at, stalledMs: before.stalledMs + gapMs };
}
