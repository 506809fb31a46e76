import { KNOWN_VARIABLES } from './config.ts';

/** In shorter names two wrong letters match too much: `HOME` is two letters from `HOST`. */
const LONG_NAME = 10;

/**
 * Returns a warning for each variable whose name differs from an unset known one by one letter (two in long names): an added, missing
 * or wrong letter, or two swapped neighbours. Ignores case.
 */
export function misspeltWarnings(env: Record<string, string | undefined>): string[] {
  const unset = KNOWN_VARIABLES.filter((name) => !env[name]);
  return Object.keys(env).flatMap((name) => {
    if (KNOWN_VARIABLES.includes(name)) return [];
    const meant = unset.find(
      (each) => distance(name.toUpperCase(), each) <= (each.length < LONG_NAME ? 1 : 2),
    );
    if (meant === undefined) return [];
    return [`${name} is no variable of this server and has no effect: is it meant to be ${meant}?`];
  });
}

/** Returns the number of letters to change (optimal string alignment distance). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
