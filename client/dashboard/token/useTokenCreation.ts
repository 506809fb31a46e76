import { useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useState } from 'react';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { failureOf } from '../../api/failure.ts';
import { useFailure } from '../../api/useFailure.ts';
import { CreateTokenDocument } from '../../generated/graphql.ts';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import type { PlayerView } from '../player/playerView.ts';
import type { Player } from '../player/runPlayer.ts';
import { expiryOfNewToken } from './tokenState.ts';
import { useFailureAge } from './useFailureAge.ts';

const CREATED_TOLD_FOR_MS = 10_000;

type TokenCreation = {
  player: Pick<Player, 'send'>;
  view: PlayerView;
  learnBase: (baseUrl: string | null) => void;
};

/**
 * Creates one token at a time and pauses the sound for it (specification, section 4). A failure leaves the old token, and the sound goes
 * on. `createdAt` is when this tab made the stored token, in epoch milliseconds; null if it did not, or not lately. `wasInterrupted`: the
 * last creation stopped the sound, and it was not played since.
 */
export function useTokenCreation({ player, view, learnBase }: TokenCreation) {
  const [create, { loading: creating }] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });
  const [failure, setFailure] = useFailure();
  const [created, setCreated] = useState<{ token: string; at: number } | null>(null);
  const [wasInterrupted, setWasInterrupted] = useState(false);
  const stored = useStoredToken();

  const forgetFailure = useCallback(() => setFailure(undefined), [setFailure]);
  useFailureAge(failure, view, forgetFailure);

  // A token made in another tab makes the failure here pointless, and the expiry tells something more urgent.
  useEffect(() => {
    if (stored) forgetFailure();
  }, [stored, forgetFailure]);

  useEffect(() => {
    if (!created) return;
    const timer = setTimeout(() => setCreated(null), CREATED_TOLD_FOR_MS);
    return () => clearTimeout(timer);
  }, [created]);

  const plays = !view.isAtRest;
  useEffect(() => {
    if (plays) setWasInterrupted(false);
  }, [plays]);

  function createToken(): void {
    if (creating) return;
    forgetFailure();
    setCreated(null);
    setWasInterrupted(false);
    player.send({ type: 'creationBegan' });
    const askedBy = localRecords.account();
    const isStillSignedIn = () => localRecords.isSignedIn(askedBy);
    create({
      onCompleted({ createToken: { token, streamUrl, company, lifetimeSeconds } }) {
        player.send({ type: 'creationSucceeded' });
        if (!isStillSignedIn()) return;
        if (askedBy !== null) localRecords.keepAccount({ id: askedBy.id, company });
        const now = Date.now();
        localRecords.keepToken(token, expiryOfNewToken(now, lifetimeSeconds));
        setCreated({ token, at: now });
        setWasInterrupted(plays);
        learnBase(baseOfStreamUrl(streamUrl, token));
        track('token_created');
      },
      onError(error) {
        console.warn('Something went wrong');
        if (isStillSignedIn()) player.send({ type: 'creationFailed' });
        setFailure(failureOf(error));
      },
    });
  }

  const createdAt = created !== null && created.token === stored?.token ? created.at : null;
  return { createToken, creating, failure, createdAt, wasInterrupted };
}
