import { fstatSync } from 'node:fs';

/** syslog's priorities (`sd-daemon(3)`) by pino's levels. */
const PRIORITIES: Array<[level: number, priority: number]> = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
  [0, 7],
];

export const ERROR_LEVEL = 50;

/**
 * Returns whether systemd's journal reads a file descriptor. JOURNAL_STREAM alone does not tell: children and terminals
 * inherit it (`systemd.exec(5)`).
 */
export function isJournal(fd: number, env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return env.JOURNAL_STREAM === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Begins each line with the priority that the journal files it under; the journal takes that prefix off. */
export function withPriority(level: number, text: string): string {
  const [, priority] = PRIORITIES.find(([from]) => level >= from) ?? [];
  return text.replaceAll(/^(?=.)/gm, `<${priority}>`);
}
