import { useQuery } from '@apollo/client/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { failureOf, failureText } from '../../api/failure.ts';
import { useOffline } from '../../api/offline.ts';
import { useFailure } from '../../api/useFailure.ts';
import { TokensDocument } from '../../generated/graphql.ts';
import { ErrorBoundary } from '../../layout/ErrorBoundary.tsx';
import { texts } from '../../texts.ts';
import { dashboardTexts } from '../dashboardTexts.ts';
import { timeToTheSecond } from '../timeOfDay.ts';
import { useFocusHandedOver } from '../useFocusHandedOver.ts';
import { type HistoryEntry, originText, tokensOfToday } from './todaysTokens.ts';
import '../disclosure.css';
import './TokenHistory.css';

type TokenHistoryProps = { creating: boolean; storedToken: string | undefined };

export function TokenHistory(props: TokenHistoryProps) {
  const [open, setOpen] = useState(false);
  const { ref } = useFocusHandedOver<HTMLDetailsElement>();
  return (
    <details className="disclosure" ref={ref} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="disclosure__summary">{dashboardTexts.history.heading}</summary>
      {open && (
        <ErrorBoundary>
          <TodaysTokens {...props} />
        </ErrorBoundary>
      )}
    </details>
  );
}

function TodaysTokens({ creating, storedToken }: TokenHistoryProps) {
  const { data, error, loading, refetch, fetchMore } = useQuery(TokensDocument, {
    fetchPolicy: 'network-only',
    context: { isRepeated: false },
  });
  // Judged when it arrives: the network may be back at the next rendering.
  const firstFailure = useMemo(() => error && failureOf(error), [error]);
  const [moreFailure, setMoreFailure] = useFailure();
  const region = useRef<HTMLDivElement>(null);

  const askAnew = useCallback(() => {
    setMoreFailure(undefined);
    refetch();
  }, [refetch, setMoreFailure]);
  useAfterEachCreation(creating, storedToken, askAnew);
  const offline = useOffline();
  useEffect(() => {
    if (!offline && firstFailure?.code === 'NO_NETWORK') askAnew();
  }, [offline, firstFailure, askAnew]);

  const tokens = data?.tokens;
  const { records, hasMore } = tokens ? tokensOfToday(tokens, Date.now()) : { records: [], hasMore: false };
  const failure = loading ? undefined : (firstFailure ?? moreFailure);

  function askOn(): void {
    // Keeps the focus in the list: the button disappears while the page loads.
    region.current?.focus({ preventScroll: true });
    if (error || !tokens) {
      askAnew();
    } else {
      setMoreFailure(undefined);
      fetchMore({ variables: { after: tokens.pageInfo.endCursor } }).catch((missed) =>
        setMoreFailure(failureOf(missed)),
      );
    }
  }

  function statusText(): string | false {
    if (loading) return texts.loading;
    if (failure) return failureText(failure, texts.tooManyAttempts);
    return tokens !== undefined && records.length === 0 && dashboardTexts.history.none;
  }

  return (
    <div className="history" ref={region} tabIndex={-1} aria-busy={loading}>
      {records.length > 0 && (
        <ol className="history__list">
          {records.map((record) => (
            <Row key={record.id} record={record} ownAddress={data?.session?.address ?? null} />
          ))}
        </ol>
      )}
      <p className={failure ? 'message message--error' : 'history__status'} role="status">
        {statusText()}
      </p>
      {!loading && (failure || hasMore) && (
        <button className="button button--secondary" type="button" onClick={askOn}>
          {failure ? dashboardTexts.history.retry : dashboardTexts.history.more}
        </button>
      )}
    </div>
  );
}

function Row({ record, ownAddress }: { record: HistoryEntry; ownAddress: string | null }) {
  const { createdAt, outcome } = record;
  const issued = outcome === 'ISSUED';
  return (
    <li className="history__row">
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

function useAfterEachCreation(creating: boolean, storedToken: string | undefined, askAnew: () => void): void {
  const before = useRef({ creating, storedToken });
  useEffect(() => {
    const isNew = before.current.creating || before.current.storedToken !== storedToken;
    before.current = { creating, storedToken };
    if (isNew && !creating) askAnew();
  }, [creating, storedToken, askAnew]);
}
