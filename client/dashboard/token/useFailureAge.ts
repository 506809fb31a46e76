import { useEffect, useRef } from 'react';
import type { Failure } from '../../api/failure.ts';
import type { PlayerView } from '../player/playerView.ts';

const SHOWN_FOR_MS = 60_000;

export function useFailureAge(
  failure: Failure | undefined,
  player: Pick<PlayerView, 'sound' | 'isSettled'>,
  forget: () => void,
): void {
  const sound = player.isSettled ? player.sound : null;
  const before = useRef(sound);

  useEffect(() => {
    if (!failure) return;
    const { retryAfterSeconds = 0 } = failure;
    const timer = setTimeout(forget, SHOWN_FOR_MS + retryAfterSeconds * 1_000);
    return () => clearTimeout(timer);
  }, [failure, forget]);

  useEffect(() => {
    const isOther = before.current !== null && sound !== null && before.current !== sound;
    if (failure && isOther) forget();
    if (!failure || sound !== null) before.current = sound;
  }, [failure, sound, forget]);
}
