import { KNOWN_VARIABLES } from './config.ts';

/** Names of this length may have two wrong letters. Shorter ones would match too much: `HOME` and `HOST`. */
const LONG_NAME = 10;

/**
 * Returns a warning for each variable whose name differs from an unset known one by one letter (two in long names):
 * an added, missing or wrong letter, or two swapped neighbours. Ignores case.
 */
export function misspeltWarnings(env: Record<string, string | undefined>): string[] {
  const unset = KNOWN_VARIABLES.filter((name) => !env[name]);
  return Object.keys(env).flatMap((name) => {
    if (KNOWN_VARIABLES.includes(name)) return [];
    const meant = unset.find((each) => isNear(name.toUpperCase(), each, each.length < LONG_NAME ? 1 : 2));
    if (meant === undefined) return [];
    return [`Unknown variable ${name} is ignored; did you mean ${meant}?`];
  });
}

function isNear(from: string, to: string, changes: number): boolean {
  if (from === to) return true;
  if (changes === 0) return false;
  let at = 0;
  while (from[at] === to[at]) at += 1;
  const [a, b] = [from.slice(at), to.slice(at)];
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  return (
    isNear(a.slice(1), b.slice(1), changes - 1) ||
    isNear(a.slice(1), b, changes - 1) ||
    isNear(a, b.slice(1), changes - 1) ||
    (isSwapped && isNear(a.slice(2), b.slice(2), changes - 1))
  );
}
