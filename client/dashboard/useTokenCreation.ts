import { useMutation } from '@apollo/client/react';
import { useRef } from 'react';
import { track } from '../analytics/track.ts';
import { failureOf } from '../api/failureOf.ts';
import { CreateTokenDocument } from '../gql/graphql.ts';
import { localRecords } from '../localRecords.ts';
import { useFailure } from '../useFailure.ts';
import type { Player } from './player.ts';
import { expiryOfNewToken } from './tokenState.ts';

/**
 * Makes one token at a time, which pauses the sound (specification, section 4). A failure leaves the token that there was, and
 * the sound goes on.
 */
export function useTokenCreation(sound: Pick<Player, 'hold' | 'pause' | 'resume'>) {
  const [create, { loading }] = useMutation(CreateTokenDocument);
  const [failure, setFailure] = useFailure();
  const underWay = useRef(false);

  async function createToken(): Promise<void> {
    if (underWay.current) return;
    underWay.current = true;
    setFailure(undefined);
    sound.hold();
    const asker = localRecords.account()?.id;
    const askerIsHere = () => localRecords.account()?.id === asker;
    try {
      const { data } = await create();
      if (!data) throw new Error('The answer holds no token');
      const { token, lifetimeSeconds } = data.createToken;
      sound.pause();
      // Whoever signed out meanwhile leaves no token behind.
      if (!askerIsHere()) return;
      localRecords.keepToken(token, expiryOfNewToken(Date.now(), lifetimeSeconds));
      track('token_created');
    } catch (error) {
      console.warn('Something went wrong');
      if (askerIsHere()) sound.resume();
      setFailure(failureOf(error, !navigator.onLine));
    } finally {
      underWay.current = false;
    }
  }

  return { createToken, creating: loading, failure };
}
