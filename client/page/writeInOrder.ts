import { isSame } from './isSame.ts';
import type { KeyValueStorage } from './storageKeys.ts';

/** One write: a key, in which change of the records it is written, and what; null deletes it. */
export type Step<Records> = {
  key: string;
  when: (known: Records, wanted: Records) => boolean;
  text: (wanted: Records) => string | null;
};

export function differs<Records>(part: keyof Records): Step<Records>['when'] {
  return (known, wanted) => !isSame(known[part], wanted[part]);
}

/** @param known - what is known to be on record */
export function writeInOrder<Records>(
  steps: Step<Records>[],
  storage: KeyValueStorage,
  known: Records,
  wanted: Records,
): void {
  for (const { key, when, text } of steps) {
    const value = when(known, wanted) ? text(wanted) : undefined;
    if (value === undefined || value === storage.getItem(key)) continue;
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, value);
  }
}
