import { expect, test } from 'vitest';
import { originText, tokensOfToday } from '../../../../client/dashboard/history/today.ts';

/** In this machine's time zone, as in the partner's browser. */
const NOW = new Date(2026, 2, 1, 21, 30).getTime();
const AT_MIDNIGHT = new Date(2026, 2, 1).toISOString();
const BEFORE_MIDNIGHT = new Date(2026, 1, 28, 23, 59, 59, 999).toISOString();

const page = (createdAts: string[], hasNextPage: boolean) => ({
  edges: createdAts.map((createdAt) => ({
    node: {
      id: createdAt,
      createdAt,
      outcome: 'ISSUED' as const,
      address: null,
      client: 'TOOL' as const,
      keyName: null,
    },
  })),
  pageInfo: { hasNextPage, endCursor: 'c' },
});

test.each([
  ['a full page of today', [AT_MIDNIGHT, AT_MIDNIGHT], true, { count: 2, hasMore: true }],
  ['the last page', [AT_MIDNIGHT], false, { count: 1, hasMore: false }],
  ['a page that reaches yesterday', [AT_MIDNIGHT, BEFORE_MIDNIGHT], true, { count: 1, hasMore: false }],
  ['a page of yesterday', [BEFORE_MIDNIGHT], true, { count: 0, hasMore: false }],
  ['an empty page', [], false, { count: 0, hasMore: false }],
])(
  '%s shows the tokens since the browser’s midnight, and whether the next page may have more',
  (_what, createdAts, hasNextPage, expected) => {
    const { records, hasMore } = tokensOfToday(page(createdAts, hasNextPage), NOW);
    expect({ count: records.length, hasMore }).toEqual(expected);
  },
);

test('a token dated in the future by the server’s faster clock belongs to today', () => {
  const later = new Date(NOW + 5_000).toISOString();
  expect(tokensOfToday(page([later], false), NOW).records).toHaveLength(1);
});

test.each([
  ['BROWSER', null, '203.0.113.7', 'Navegador'],
  ['BROWSER', null, '2001:db8::7', 'Navegador · 2001:db8::7'],
  ['BROWSER', null, null, 'Navegador · IP desconocida'],
  ['TOOL', null, '203.0.113.7', 'Herramienta'],
  ['TOOL', 'Códec', '203.0.113.7', 'Códec'],
  ['TOOL', 'Códec', '2001:db8::7', 'Códec · 2001:db8::7'],
] as const)(
  'a token asked for by %s with the key %s from %s is told as %s',
  (client, keyName, address, text) => {
    expect(originText({ client, keyName, address }, '203.0.113.7')).toBe(text);
  },
);

test('where a token was asked for from is told if the browser’s own address is unknown', () => {
  expect(originText({ client: 'BROWSER', keyName: null, address: '203.0.113.7' }, null)).toBe(
    'Navegador · 203.0.113.7',
  );
  expect(originText({ client: 'BROWSER', keyName: null, address: null }, null)).toBe(
    'Navegador · IP desconocida',
  );
});
