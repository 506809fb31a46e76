import type { TokensQuery } from '../../generated/graphql.ts';
import { dashboardTexts } from '../dashboardTexts.ts';

export type HistoryEntry = TokensQuery['tokens']['edges'][number]['node'];

export function tokensOfToday(
  { edges, pageInfo }: TokensQuery['tokens'],
  now: number,
): { records: HistoryEntry[]; hasMore: boolean } {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const records = edges.map(({ node }) => node).filter(({ createdAt }) => Date.parse(createdAt) >= midnight);
  return { records, hasMore: pageInfo.hasNextPage && records.length === edges.length };
}

export function originText(
  { client: caller, keyName, address }: Pick<HistoryEntry, 'client' | 'keyName' | 'address'>,
  ownAddress: string | null,
): string {
  const texts = dashboardTexts.history;
  const asker = keyName ?? texts.callers[caller];
  return address !== null && address === ownAddress ? asker : `${asker} · ${address ?? texts.unknownAddress}`;
}
