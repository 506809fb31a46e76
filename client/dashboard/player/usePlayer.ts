import { useEffect, useState, useSyncExternalStore } from 'react';
import { onComeback } from '../../api/retry.ts';
import { useOffline } from '../../api/useOffline.ts';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { type TokenState, tokenState } from '../token/tokenState.ts';
import { answerMediaKeys } from './mediaKeys.ts';
import { oneTabPlays } from './oneTabPlays.ts';
import { createPlayer } from './player.ts';
import { playerNotice } from './playerState.ts';
import type { StreamBase } from './useStreamBase.ts';
import { useVolume } from './useVolume.ts';
import { FULL_VOLUME } from './volume.ts';

/** Creates the dashboard's player and its audio element; both stop when the dashboard is left. */
export function usePlayer(
  { baseUrl, serverSilent }: StreamBase,
  company: string,
  tokenKind: TokenState['kind'],
) {
  const [player] = useState(() => createPlayer(activeToken));
  const [audio] = useState(() => document.createElement('audio'));
  const state = useSyncExternalStore(player.subscribe, player.state);
  const dropout = useSyncExternalStore(player.subscribe, player.dropout);
  const { level, muted } = useVolume();
  const offline = useOffline();
  const token = useStoredToken()?.token ?? null;

  useEffect(() => {
    document.body.append(audio);
    window.addEventListener('pagehide', player.pause);
    const cleanups = [player.attach(audio), oneTabPlays(player), onComeback(player.retryNow)];
    return () => {
      for (const cleanUp of cleanups) cleanUp();
      window.removeEventListener('pagehide', player.pause);
      audio.remove();
    };
  }, [player, audio]);

  useEffect(() => answerMediaKeys(player, company), [player, company]);

  useEffect(() => {
    audio.volume = level / FULL_VOLUME;
    audio.muted = muted;
  }, [audio, level, muted]);

  useEffect(() => {
    if (baseUrl !== null) player.streamBaseLearned(baseUrl);
  }, [player, baseUrl]);

  useEffect(() => player.tokenLearned(token), [player, token]);

  const notice = playerNotice(state, { offline, serverSilent, token: tokenKind });
  return { player, state, dropout, notice };
}

function activeToken(): string | null {
  const state = tokenState(localRecords.token(), Date.now());
  return state.kind === 'active' ? state.token : null;
}
