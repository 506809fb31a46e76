import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { WITHOUT_SESSION } from '../api/createApolloClient.ts';
import { onComeback } from '../api/network.ts';
import { zoneMark } from '../browser/timeZone.ts';
import { NoticeDocument } from '../generated/graphql.ts';
import { texts } from '../texts.ts';

const POLL_MS = 30_000;

/** Always rendered: a screen reader announces a notice only in an element that was there before. */
export function OperatorNotice() {
  const { data, previousData, refetch } = useQuery(NoticeDocument, {
    pollInterval: POLL_MS,
    skipPollAttempt: () => document.hidden,
    context: WITHOUT_SESSION,
  });
  useEffect(() => onComeback(() => void refetch()), [refetch]);
  // A failed poll leaves `data` empty: keep what was shown.
  const notice = (data ?? previousData)?.notice;
  return (
    <p className="operator-notice" role="status">
      {notice && (
        <span>
          <span className="operator-notice__since">{sinceText(new Date(notice.since), new Date())}</span>{' '}
          <bdi>{notice.text}</bdi>
        </span>
      )}
    </p>
  );
}

function sinceText(since: Date, now: Date): string {
  const isToday = since.toDateString() === now.toDateString();
  const time = new Intl.DateTimeFormat('es', {
    ...(!isToday && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(since);
  return `${texts.noticeSince[isToday ? 'today' : 'earlier']} ${time}${zoneMark(since.getTime())}:`;
}
