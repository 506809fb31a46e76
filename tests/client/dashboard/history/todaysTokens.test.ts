import { expect, test } from 'vitest';
import { originText, tokensOfToday } from '../../../../client/dashboard/history/todaysTokens.ts';

/** In this machine's time zone, as in the partner's browser. */
const NOW = new Date(2026, 2, 1, 21, 30).getTime();
const TODAY = new Date(2026, 2, 1).toISOString();
const YESTERDAY = new Date(2026, 1, 28, 23, 59, 59, 999).toISOString();
const LATER = new Date(NOW + 5_000).toISOString();

const page = (createdAts: string[], hasNextPage: boolean) => ({
  edges: createdAts.map((createdAt) => ({
    node: {
      id: createdAt,
      createdAt,
      outcome: 'ISSUED',
      address: null,
      client: 'TOOL',
      keyName: null,
    } as const,
  })),
  pageInfo: { hasNextPage, endCursor: 'c' },
});

test.each([
  ['of today', [TODAY, TODAY], true, 2, true],
  ['that reaches yesterday', [TODAY, YESTERDAY], true, 1, false],
  ['that is dated by a faster clock', [LATER], false, 1, false],
])('a page %s shows the tokens since midnight', (_, createdAts, hasNext, count, more) => {
  const { records, hasMore } = tokensOfToday(page(createdAts, hasNext), NOW);
  expect([records.length, hasMore]).toEqual([count, more]);
});

test('an unknown address is not taken for the browser’s own unknown one', () => {
  expect(originText({ client: 'BROWSER', keyName: null, address: null }, null)).toContain('IP desconocida');
});
