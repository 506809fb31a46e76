import type { Writable } from 'node:stream';

/** How far a long piece of work has come, for the person who waits for it. */
export type Progress = {
  /** @param done - how many are done by now; `summary` what became of them */
  show(done: number, summary: string): void;
  /** Makes room for another line, or the end. */
  clear(): void;
};

const BAR_WIDTH = 20;
const USUAL_COLUMNS = 80;
const REDRAWN_AFTER_MS = 100;
const SAID_AFTER_MS = 30_000;
/** What is left is told by the pace of as long, since what a run before did goes by much faster. */
const PACE_OVER_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * On a terminal a bar that is drawn over, elsewhere a line every 30 s.
 * @param total how many there are, null where nobody knows before the end
 * @param nowMs a clock that nobody sets
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

  /** Null while there is no pace to tell it by. */
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
