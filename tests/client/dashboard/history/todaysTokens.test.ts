import { expect, test } from 'vitest';
import { originText, tokensOfToday } from '../../../../client/dashboard/lists/TokenHistory.tsx';

/** In this machine's time zone, as in the partner's browser. */
const NOW = new Date(2026, 2, 1, 21, 30).getTime();

test.each([
  ['of midnight belongs', new Date(2026, 2, 1).getTime(), 1],
  ['of the millisecond before does not belong', new Date(2026, 2, 1).getTime() - 1, 0],
  ['dated ahead by the server’s clock belongs', NOW + 5_000, 1],
])('a token %s to today’s', (_, createdAtMs, count) => {
  const createdAt = new Date(createdAtMs).toISOString();
  const asked = { outcome: 'ISSUED', address: null, client: 'TOOL', keyName: null } as const;
  const edges = [{ node: { id: 't1', createdAt, ...asked } }];
  const page = { edges, pageInfo: { hasNextPage: false, endCursor: null } };
  expect(tokensOfToday(page, NOW).records).toHaveLength(count);
});

test('an unknown address is not taken for the browser’s own unknown one', () => {
  expect(originText({ client: 'BROWSER', keyName: null, address: null }, null)).toContain('IP desconocida');
});
