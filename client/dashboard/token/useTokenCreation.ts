import { useEffect, useRef, useState } from 'react';
import { baseOfStreamUrl } from '../../../shared/streamUrl.ts';
import { track } from '../../analytics/track.ts';
import type { CreateToken } from '../../api/Operations.tsx';
import { useFailure } from '../../api/useFailure.ts';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import type { Player } from '../player/player.ts';
import { expiryOfNewToken } from './tokenState.ts';

/**
 * Makes one token at a time, which pauses the sound (specification, section 4). A failure leaves the token that there was, and
 * the sound goes on. Its answer tells `learnBase` where the stream is.
 */
export function useTokenCreation(
  create: CreateToken,
  sound: Pick<Player, 'hold' | 'pause' | 'resume'>,
  learnBase: (baseUrl: string | null) => void,
) {
  const [creating, setCreating] = useState(false);
  const [failure, setFailure] = useFailure();
  const underWay = useRef(false);
  const token = useStoredToken()?.token;

  // What failed here may have succeeded in another tab.
  useEffect(() => {
    if (token !== undefined) setFailure(undefined);
  }, [token, setFailure]);

  async function createToken(): Promise<void> {
    if (underWay.current) return;
    underWay.current = true;
    setCreating(true);
    setFailure(undefined);
    sound.hold();
    const asker = localRecords.account()?.id;
    const answer = await create();
    const askerIsHere = localRecords.account()?.id === asker;
    underWay.current = false;
    setCreating(false);
    if ('code' in answer) {
      console.warn('Something went wrong');
      if (askerIsHere) sound.resume();
      setFailure(answer);
      return;
    }
    sound.pause();
    // Whoever signed out meanwhile leaves no token behind.
    if (!askerIsHere) return;
    localRecords.keepToken(answer.token, expiryOfNewToken(Date.now(), answer.lifetimeSeconds));
    learnBase(baseOfStreamUrl(answer.streamUrl, answer.token));
    track('token_created');
  }

  return { createToken, creating, failure };
}
