import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; they are numbered from 1. */
const REQUIREMENTS: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2, '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2, '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3, '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5 },
  ...{ '6.6': 3, '6.8': 4, '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2, '8.1': 2 },
  ...{ '8.2': 3, '8.3': 1, '8.4': 1, '9.1': 3, '9.2': 4, '10.1': 2, '10.2': 2, '10.3': 4, '10.4': 11 },
  ...{ '10.5': 5, '10.6': 2, '10.7': 3, '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4, '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5, '14.1': 2, '14.2': 4 },
  ...{ '14.3': 3, '15.1': 3, '15.2': 3, '15.3': 7, '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
  ...{ '17.1': 1, '17.2': 4, '17.3': 2 },
};
const ALL = Object.keys(REQUIREMENTS).flatMap(inSection);

const page = readFileSync(path.join(PROJECT_ROOT, 'docs', 'security.md'), 'utf8');
const answers = [...page.matchAll(/^- \*\*([\d., –]+)\*\* (.*)$/gm)].map(([, numbers = '', answer = '']) => ({
  numbers: numbers.split(', ').flatMap(named),
  answer,
}));

describe('docs/security.md', () => {
  test('answers every requirement of levels 1 and 2 once', () => {
    expect(answers.flatMap(({ numbers }) => numbers).toSorted(byNumber)).toEqual(ALL.toSorted(byNumber));
  });

  test('lists at its head what it says is not met', () => {
    const head = /^### Not met\n\n(.*)$/m.exec(page)?.[1]?.split(', ');
    const notMet = answers
      .filter(({ answer }) => answer.includes('**Not met**'))
      .flatMap(({ numbers }) => numbers);
    expect(head).toEqual(notMet.toSorted(byNumber));
  });
});

/** `1.2.6` or `1.2.6–1.2.8`; `6.5` or `10.1–10.7` are whole sections. */
function named(range: string): string[] {
  const [first = '', last = first] = range.split('–');
  if (first.split('.').length === 2) {
    const isWithin = (section: string) => byNumber(first, section) <= 0 && byNumber(section, last) <= 0;
    return Object.keys(REQUIREMENTS).filter(isWithin).flatMap(inSection);
  }
  return ALL.filter((number) => byNumber(first, number) <= 0 && byNumber(number, last) <= 0);
}

function inSection(section: string): string[] {
  return Array.from({ length: REQUIREMENTS[section] ?? 0 }, (_, index) => `${section}.${index + 1}`);
}

function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
