import { useQuery } from '@apollo/client/react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { failureOf } from '../../api/failureOfResponse.ts';
import { useFailure, useOffline } from '../../api/network.ts';
import { TokensDocument, type TokensQuery } from '../../generated/graphql.ts';
import { Disclosure } from '../Disclosure.tsx';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeToTheSecond } from '../timeOfDay.ts';
import { FetchedList } from './FetchedList.tsx';
import { useServerAhead } from './useServerAhead.ts';

type TokenHistoryProps = { creating: boolean; latestToken: string | undefined };

export function TokenHistory(props: TokenHistoryProps) {
  return (
    <Disclosure heading={dashboardTexts.history.heading}>
      <TodaysTokens {...props} />
    </Disclosure>
  );
}

function TodaysTokens({ creating, latestToken }: TokenHistoryProps) {
  const { client, data, error, loading, refetch, fetchMore } = useQuery(TokensDocument, {
    fetchPolicy: 'network-only',
    context: { isRepeated: false },
  });
  // Computed when the error arrives: by the next rendering the network may be back.
  const firstFailure = useMemo(() => error && failureOf(error), [error]);
  const [moreFailure, setMoreFailure] = useFailure();

  const fetchAnew = useCallback(() => {
    setMoreFailure(undefined);
    refetch();
  }, [refetch, setMoreFailure]);
  useAfterEachCreation(creating, latestToken, fetchAnew);
  const offline = useOffline();
  useEffect(() => {
    if (!offline && firstFailure?.code === 'NO_NETWORK') fetchAnew();
  }, [offline, firstFailure, fetchAnew]);

  const serverAheadMs = useServerAhead(data?.serverTime);
  const tokens = data?.tokens;
  const { records, hasMore } = tokens
    ? tokensOfToday(tokens, Date.now() + serverAheadMs)
    : { records: [], hasMore: false };

  async function fetchOlder(after: string | null): Promise<void> {
    const answer = await fetchMore({ variables: { after } });
    const list = client.readQuery({ query: TokensDocument })?.tokens.pageInfo;
    // The cache drops an answer that the list, fetched anew, overtook.
    if (list?.hasNextPage && list.endCursor !== answer.data?.tokens.pageInfo.endCursor)
      await fetchOlder(list.endCursor);
  }

  function fetchOn(): void {
    if (error || !tokens) {
      fetchAnew();
    } else {
      setMoreFailure(undefined);
      fetchOlder(tokens.pageInfo.endCursor).catch((missed) => setMoreFailure(failureOf(missed)));
    }
  }

  return (
    <FetchedList
      loading={loading}
      failure={firstFailure ?? moreFailure}
      emptyText={tokens !== undefined && records.length === 0 && dashboardTexts.history.none}
      hasMore={hasMore}
      onFetch={fetchOn}
    >
      {records.length > 0 && (
        <ol className="fetched-list__lines">
          {records.map((record) => (
            <Row key={record.id} record={record} ownAddress={data?.session?.address ?? null} />
          ))}
        </ol>
      )}
    </FetchedList>
  );
}

function Row({ record, ownAddress }: { record: HistoryEntry; ownAddress: string | null }) {
  const { createdAt, outcome } = record;
  const issued = outcome === 'ISSUED';
  return (
    <li className="fetched-list__line history__row">
      <time className="history__time" dateTime={createdAt}>
        {timeToTheSecond(Date.parse(createdAt))}
      </time>
      <span className={issued ? 'history__issued' : 'history__failed'}>
        {dashboardTexts.history.outcomes[outcome]}
      </span>
      <span className="history__from">{originText(record, ownAddress)}</span>
    </li>
  );
}

function useAfterEachCreation(
  creating: boolean,
  latestToken: string | undefined,
  fetchAnew: () => void,
): void {
  const before = useRef({ creating, latestToken });
  useEffect(() => {
    const isNew = before.current.creating || before.current.latestToken !== latestToken;
    before.current = { creating, latestToken };
    if (isNew && !creating) fetchAnew();
  }, [creating, latestToken, fetchAnew]);
}

type HistoryEntry = TokensQuery['tokens']['edges'][number]['node'];

function tokensOfToday(
  { edges, pageInfo }: TokensQuery['tokens'],
  now: number,
): { records: HistoryEntry[]; hasMore: boolean } {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const records = edges.map(({ node }) => node).filter(({ createdAt }) => Date.parse(createdAt) >= midnight);
  return { records, hasMore: pageInfo.hasNextPage && records.length === edges.length };
}

function originText(
  { client: caller, keyName, address }: Pick<HistoryEntry, 'client' | 'keyName' | 'address'>,
  ownAddress: string | null,
): string {
  const texts = dashboardTexts.history;
  const asker = keyName ?? texts.callers[caller];
  return address !== null && address === ownAddress ? asker : `${asker} · ${address ?? texts.unknownAddress}`;
}
