import { useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import { failureOf } from '../../api/failure.ts';
import { CreateTokenDocument } from '../../api/gql/graphql.ts';
import { useFailure } from '../../api/useFailure.ts';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { expiryOfNewToken } from './tokenState.ts';

/** The player's controls that a creation uses. */
type Sound = { hold: () => void; resume: () => void; pause: () => void };

/**
 * Creates one token at a time and pauses the sound for it (specification, section 4). A failure leaves the old token, and the sound goes
 * on. The answer also tells where the stream is, which is passed to `learnBase`. `createdAt` is when this tab made the stored token, in
 * epoch milliseconds, null if it did not.
 */
export function useTokenCreation(sound: Sound, learnBase: (baseUrl: string | null) => void) {
  const [create, { loading: creating }] = useMutation(CreateTokenDocument, { fetchPolicy: 'no-cache' });
  const [failure, setFailure] = useFailure();
  const [created, setCreated] = useState<{ token: string; at: number } | null>(null);
  const storedToken = useStoredToken()?.token;

  // A token made in another tab makes the failure here pointless.
  useEffect(() => {
    if (storedToken !== undefined) setFailure(undefined);
  }, [storedToken, setFailure]);

  function createToken(): void {
    if (creating) return;
    setFailure(undefined);
    setCreated(null);
    sound.hold();
    const askedBy = localRecords.account()?.id;
    const isStillSignedIn = () => localRecords.account()?.id === askedBy;
    create({
      onCompleted({ createToken: { token, streamUrl, lifetimeSeconds } }) {
        sound.pause();
        if (!isStillSignedIn()) return;
        const now = Date.now();
        localRecords.keepToken(token, expiryOfNewToken(now, lifetimeSeconds));
        setCreated({ token, at: now });
        learnBase(baseOfStreamUrl(streamUrl, token));
        track('token_created');
      },
      onError(error) {
        console.warn('Something went wrong');
        if (isStillSignedIn()) sound.resume();
        setFailure(failureOf(error, !navigator.onLine));
      },
    });
  }

  const createdAt = created !== null && created.token === storedToken ? created.at : null;
  return { createToken, creating, failure, createdAt };
}
