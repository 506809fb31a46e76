import { useEffect, useState, useSyncExternalStore } from 'react';
import { PAGE_META } from '../../../shared/pageMeta.ts';
import { onComeback } from '../../api/backoff.ts';
import { useOffline } from '../../api/offline.ts';
import { pageMeta } from '../../pageMeta.ts';
import { localRecords, useStoredToken } from '../../session/localRecords.ts';
import { type TokenState, tokenState } from '../token/tokenState.ts';
import type { useDashboardQuery } from '../useDashboardQuery.ts';
import { createAudioPlayer } from './audioPlayer.ts';
import { answerMediaKeys } from './mediaKeys.ts';
import { oneTabPlays } from './oneTabPlays.ts';
import { createPlayer } from './player.ts';
import { playerNotice } from './playerState.ts';
import { createSoundOutput } from './soundOutput.ts';
import { useVolume } from './volume.ts';

export function usePlayer(
  { baseUrl, serverSilent }: Pick<ReturnType<typeof useDashboardQuery>, 'baseUrl' | 'serverSilent'>,
  company: string,
  tokenKind: TokenState['kind'],
) {
  const [output] = useState(() => createSoundOutput(pageMeta(PAGE_META.streamCors) === 'on'));
  const [player] = useState(() =>
    createPlayer(activeToken, (report) =>
      createAudioPlayer(report, { output, isReplaceable: () => activeToken() !== null }),
    ),
  );
  const state = useSyncExternalStore(player.subscribe, player.state);
  const dropout = useSyncExternalStore(player.subscribe, player.dropout);
  const { level, muted } = useVolume();
  const offline = useOffline();
  const token = useStoredToken()?.token ?? null;

  useEffect(() => {
    const audio = document.createElement('audio');
    const spare = document.createElement('audio');
    document.body.append(audio);
    window.addEventListener('pagehide', player.pause);
    const cleanups = [player.attach(audio, spare), oneTabPlays(player), onComeback(player.retryNow)];
    return () => {
      for (const cleanUp of cleanups) cleanUp();
      window.removeEventListener('pagehide', player.pause);
      audio.remove();
      spare.remove();
    };
  }, [player]);

  useEffect(() => answerMediaKeys(player, company), [player, company]);

  useEffect(() => {
    output.setVolume({ level, muted });
  }, [output, level, muted]);

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
