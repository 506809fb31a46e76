import { useQuery } from '@apollo/client/react';
import { useEffect, useMemo } from 'react';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { lastInstant } from '../../../shared/lastInstant.ts';
import { NEW_OPERATION } from '../../api/createApolloClient.ts';
import { failureOf } from '../../api/failureOfResponse.ts';
import { onComeback } from '../../api/network.ts';
import { KeysDocument, type KeysQuery } from '../../generated/graphql.ts';
import { Disclosure } from '../Disclosure.tsx';
import { dashboardTexts } from '../dashboardTexts.ts';
import { PlayersGuide } from '../PlayersGuide.tsx';
import { dayAndTime, timeAgo } from '../timeOfDay.ts';
import { useEverySecond } from '../useEverySecond.ts';
import { FetchedList } from './FetchedList.tsx';
import { useServerAhead } from './useServerAhead.ts';

type PlayerKey = KeysQuery['keys'][number];

const END_TOLD_BEFORE_MS = 30 * DAY_MS;
const SHOWN_AT_ONCE = 5;
const FROM_NETWORK = { fetchPolicy: 'network-only', context: NEW_OPERATION } as const;
const READ_EACH_MINUTE = {
  ...FROM_NETWORK,
  context: { ...NEW_OPERATION, isRepeated: false },
  pollInterval: MINUTE_MS,
  skipPollAttempt: () => document.hidden,
} as const;

const texts = dashboardTexts.playerKeys;

export function PlayerKeys() {
  const { data, refetch } = useQuery(KeysDocument, FROM_NETWORK);
  useEffect(() => onComeback(() => void refetch()), [refetch]);
  if (playerKeysOf(data).length === 0) return null;
  return (
    <Disclosure heading={texts.heading}>
      <LastUses />
    </Disclosure>
  );
}

function LastUses() {
  const now = useEverySecond(0);
  const { data, error, loading, refetch } = useQuery(KeysDocument, READ_EACH_MINUTE);
  // Computed when the error arrives: by the next rendering the network may be back.
  const failure = useMemo(() => error && failureOf(error), [error]);
  const serverNow = now + useServerAhead(data?.serverTime);
  const keys = playerKeysOf(data);
  const rest = keys.slice(SHOWN_AT_ONCE);
  return (
    <FetchedList loading={loading && !data} failure={failure} onFetch={refetch}>
      {keys.length > 0 && (
        <>
          <Lines keys={keys.slice(0, SHOWN_AT_ONCE)} now={serverNow} />
          {rest.length > 0 && (
            <Disclosure heading={texts.more(rest.length)}>
              <Lines keys={rest} now={serverNow} />
            </Disclosure>
          )}
          <p className="player-keys__note">
            {texts.staysConnected} <PlayersGuide />
          </p>
        </>
      )}
    </FetchedList>
  );
}

function Lines({ keys, now }: { keys: PlayerKey[]; now: number }) {
  return (
    <ul className="fetched-list__lines">
      {keys.map(({ name, expiry, lastUsed }) => (
        <li className="fetched-list__line" key={name}>
          <bdi className="player-keys__name">{name}</bdi>
          <span>{lastUsed === null ? texts.unused : texts.asked(timeAgo(Date.parse(lastUsed), now))}</span>
          {Date.parse(expiry) - now <= END_TOLD_BEFORE_MS && (
            <strong className="player-keys__end">
              {texts.ends(dayAndTime(lastInstant(Date.parse(expiry)), now))}
            </strong>
          )}
        </li>
      ))}
    </ul>
  );
}

function playerKeysOf(data: KeysQuery | undefined): PlayerKey[] {
  return data?.keys.filter(({ kind }) => kind === 'PLAYER') ?? [];
}
