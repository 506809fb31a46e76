import { useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { UNASKED_HEADER } from '../../../shared/unaskedHeader.ts';
import { track } from '../../analytics/track.ts';
import { failureOf } from '../../api/failure.ts';
import { useFailure } from '../../api/useFailure.ts';
import { CreateTokenDocument } from '../../generated/graphql.ts';
import { localRecords, useAccount, useStoredToken } from '../../session/localRecords.ts';
import type { PlayerView } from '../player/playerView.ts';
import type { Player } from '../player/runPlayer.ts';
import { expiryOfNewToken } from './tokenState.ts';
import { useFailureDismissal } from './useFailureDismissal.ts';

const CREATED_SHOWN_FOR_MS = 10_000;

type TokenCreation = {
  player: Pick<Player, 'state' | 'send' | 'onTokenWanted'>;
  view: PlayerView;
  learnBase: (baseUrl: string | null) => void;
};

/**
 * Creates one token at a time: when the partner presses the button, which pauses the sound (specification, section 4),
 * and when the player wants one to restore lost sound. A failure leaves the old token, and the sound goes on.
 * `createdAt` is when this tab made the stored token, in epoch milliseconds; null if it did not, or not lately.
 * `wasInterrupted`: the last creation stopped the sound, and it was not played since.
 */
export function useTokenCreation({ player, view, learnBase }: TokenCreation) {
  const [create, { loading: creating }] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });
  const [failure, setFailure] = useFailure();
  const [created, setCreated] = useState<{ token: string; at: number } | null>(null);
  const [wasInterrupted, setWasInterrupted] = useState(false);
  const stored = useStoredToken();
  const isSignedIn = useAccount() !== null;

  const forgetFailure = useCallback(() => setFailure(undefined), [setFailure]);
  useFailureDismissal(failure, view, forgetFailure);

  // Another tab made a token, or this one expired: the old failure no longer matters.
  useEffect(() => {
    if (stored) forgetFailure();
  }, [stored, forgetFailure]);

  // Another tab signed in again.
  useEffect(() => {
    if (isSignedIn) forgetFailure();
  }, [isSignedIn, forgetFailure]);

  useEffect(() => {
    if (!created) return;
    const timer = setTimeout(() => setCreated(null), CREATED_SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [created]);

  const plays = !view.isAtRest;
  useEffect(() => {
    if (plays) setWasInterrupted(false);
  }, [plays]);

  const onTokenWanted = useEffectEvent(() => requestToken(true));
  useEffect(() => player.onTokenWanted(() => onTokenWanted()), [player]);

  function createToken(): void {
    player.send({ type: 'creationPressed' });
    // A creation that the player began counts as this one.
    if (!creating) requestToken(false);
  }

  function requestToken(automatic: boolean): void {
    forgetFailure();
    setCreated(null);
    setWasInterrupted(false);
    const askedBy = localRecords.account();
    const isStillSignedIn = () => localRecords.isSameAccount(askedBy);
    create({
      context: { headers: automatic ? { [UNASKED_HEADER]: 'true' } : {} },
      onCompleted({ createToken: { token, streamUrl, company, lifetimeSeconds } }) {
        if (!isStillSignedIn()) return failed();
        if (askedBy !== null) localRecords.keepAccount({ id: askedBy.id, company });
        const now = Date.now();
        const made = { token, expiresAt: expiryOfNewToken(now, lifetimeSeconds) };
        setWasInterrupted(player.state().held);
        const streamBase = baseOfStreamUrl(streamUrl, token);
        if (streamBase !== null) player.send({ type: 'streamBaseLearned', streamBase });
        learnBase(streamBase);
        player.send({ type: 'creationSucceeded', token: made });
        localRecords.keepToken(made.token, made.expiresAt);
        setCreated({ token, at: now });
        track('token_created');
      },
      onError(error) {
        console.warn('Something went wrong');
        const why = failureOf(error);
        failed(why.retryAfterSeconds);
        setFailure(why);
      },
    });
  }

  function failed(retryAfterSeconds = 0): void {
    player.send({ type: 'creationFailed', retryAfterSeconds });
  }

  const createdAt = created !== null && created.token === stored?.token ? created.at : null;
  return { createToken, creating, failure, createdAt, wasInterrupted };
}
