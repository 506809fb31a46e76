import type { Writable } from 'node:stream';

/** Shows the progress of long work to the person who waits for it. */
export type Progress = {
  /** @param done - the number done so far; `summary` their outcomes */
  show(done: number, summary: string): void;
  /** Clears the bar before another line or the end. */
  clear(): void;
};

const BAR_WIDTH = 20;
const USUAL_COLUMNS = 80;
const REDRAWN_AFTER_MS = 100;
const SAID_AFTER_MS = 30_000;
/** The time over which the pace is measured: rows that an earlier run imported go by much faster. */
const PACE_OVER_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Draws a bar on a terminal, and writes a line every 30 s elsewhere.
 * @param total - the number of all rows; null if it is unknown
 * @param nowMs - a monotonic clock
 */
export function progressOn(
  output: Writable & { isTTY?: boolean; columns?: number },
  total: number | null,
  nowMs: () => number = () => performance.now(),
): Progress {
  const everyMs = output.isTTY ? REDRAWN_AFTER_MS : SAID_AFTER_MS;
  const marks = [{ atMs: nowMs(), done: 0 }];
  let shownAtMs = output.isTTY ? Number.NEGATIVE_INFINITY : nowMs();
  let isDrawn = false;

  function ahead(done: number): string {
    if (total === null || total === 0) return '';
    const percent = `${Math.floor((100 * done) / total)} %`;
    const left = secondsLeft(done, total);
    const text = `${percent}${left === null ? '' : `, ${duration(left)} left`}: `;
    if (!output.isTTY) return text;
    const filled = Math.floor((BAR_WIDTH * done) / total);
    return `[${'#'.repeat(filled).padEnd(BAR_WIDTH, '-')}] ${text}`;
  }

  /** Returns null while there is no pace yet. */
  function secondsLeft(done: number, all: number): number | null {
    const now = nowMs();
    while (marks[1] !== undefined && now - marks[1].atMs >= PACE_OVER_MS) marks.shift();
    const [since] = marks;
    marks.push({ atMs: now, done });
    if (since === undefined || done === since.done || now === since.atMs) return null;
    return Math.ceil(((all - done) * (now - since.atMs)) / (done - since.done) / 1000);
  }

  return {
    show(done, summary) {
      if (nowMs() - shownAtMs < everyMs) return;
      shownAtMs = nowMs();
      const line = ahead(done) + summary;
      if (!output.isTTY) return void output.write(`${line}\n`);
      isDrawn = true;
      output.write(CLEAR_LINE + line.slice(0, (output.columns ?? USUAL_COLUMNS) - 1));
    },
    clear() {
      if (isDrawn) output.write(CLEAR_LINE);
      isDrawn = false;
    },
  };
}

function duration(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
