import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { progressOn } from '../../../../server/cli/import/importProgress.ts';

const CLEAR = '\r\u001b[K';

/** Shows how far it is at each of these seconds, and returns what was written for it. */
function shown(
  terminal: { isTTY?: boolean; columns?: number },
  total: number | null,
  steps: Array<[second: number, done: number]>,
): string[] {
  const output = Object.assign(new PassThrough(), terminal);
  let nowMs = 5_000;
  const progress = progressOn(output, total, () => nowMs);
  return steps.map(([second, done]) => {
    nowMs = 5_000 + second * 1_000;
    progress.show(done, `${done} added`);
    return String(output.read() ?? '');
  });
}

test('on a terminal it is a bar that is drawn over, with what is left by the pace so far', () => {
  expect(
    shown({ isTTY: true }, 10_000, [
      [0, 0],
      [1, 100],
      [50, 5_000],
      [100, 10_000],
    ]),
  ).toEqual([
    `${CLEAR}[--------------------] 0 %: 0 added`,
    `${CLEAR}[--------------------] 1 %, 99 s left: 100 added`,
    `${CLEAR}[##########----------] 50 %, 50 s left: 5000 added`,
    `${CLEAR}[####################] 100 %, 0 s left: 10000 added`,
  ]);
});

test('what a run before did, which goes by quickly, does not make the rest look short', () => {
  const steps: Array<[number, number]> = [[0, 0]];
  for (let second = 1; second <= 30; second += 1) steps.push([second, 5_000 + 100 * second]);
  const last = shown({ isTTY: true }, 10_000, steps).at(-1);
  expect(last).toContain('80 %, 20 s left');
});

test('it never takes more than one line of the terminal, and is drawn ten times a second at most', () => {
  const [first = '', second, third] = shown({ isTTY: true, columns: 30 }, 10_000, [
    [0, 0],
    [0.05, 2],
    [0.1, 3],
  ]);
  expect(first).toBe(`${CLEAR}[--------------------] 0 %: 0`);
  expect(first.length - CLEAR.length).toBeLessThan(30);
  expect([second, third !== '']).toEqual(['', true]);
});

test('elsewhere it is a line every 30 s, so that a short run says nothing', () => {
  expect(
    shown({}, 10_000, [
      [0, 0],
      [29.9, 990],
      [30, 1_000],
      [59, 1_900],
      [60, 2_000],
    ]),
  ).toEqual(['', '', '10 %, 5 min left: 1000 added\n', '', '20 %, 4 min left: 2000 added\n']);
});
