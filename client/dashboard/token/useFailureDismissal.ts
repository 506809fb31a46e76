import { useEffect, useRef } from 'react';
import type { Failure } from '../../api/failure.ts';
import type { PlayerView } from '../player/playerView.ts';

const SHOWN_FOR_MS = 60_000;

/** Forgets a failure after a minute, or once the sound has become audible or inaudible since. */
export function useFailureDismissal(
  failure: Failure | undefined,
  player: Pick<PlayerView, 'audibility' | 'isSettled'>,
  forget: () => void,
): void {
  const audibility = player.isSettled ? player.audibility : null;
  const before = useRef(audibility);

  useEffect(() => {
    if (!failure) return;
    const { retryAfterSeconds = 0 } = failure;
    const timer = setTimeout(forget, SHOWN_FOR_MS + retryAfterSeconds * 1_000);
    return () => clearTimeout(timer);
  }, [failure, forget]);

  useEffect(() => {
    const hasChanged = before.current !== null && audibility !== null && before.current !== audibility;
    if (failure && hasChanged) forget();
    if (!failure || audibility !== null) before.current = audibility;
  }, [failure, audibility, forget]);
}
