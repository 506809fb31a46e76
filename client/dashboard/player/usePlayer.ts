import { useEffect, useState, useSyncExternalStore } from 'react';
import { PAGE_META } from '../../../shared/pageMeta.ts';
import { onComeback } from '../../api/backoff.ts';
import { useOffline } from '../../api/offline.ts';
import { pageMeta } from '../../pageMeta.ts';
import { useStoredToken } from '../../session/localRecords.ts';
import type { TokenState } from '../token/tokenState.ts';
import type { useDashboardQuery } from '../useDashboardQuery.ts';
import { createSoundOutput } from './connection/soundOutput.ts';
import { answerMediaKeys } from './mediaKeys.ts';
import { playerView } from './playerView.ts';
import { runPlayer } from './runPlayer.ts';
import { useMuted, useVolume } from './volume.ts';

export function usePlayer(
  { baseUrl, serverSilent }: Pick<ReturnType<typeof useDashboardQuery>, 'baseUrl' | 'serverSilent'>,
  company: string,
  tokenKind: TokenState['kind'],
) {
  const [output] = useState(() => createSoundOutput(pageMeta(PAGE_META.streamCors) === 'on'));
  const [player] = useState(() => runPlayer(output));
  const state = useSyncExternalStore(player.subscribe, player.state);
  const { level, muted } = useVolume();
  const isMuted = useMuted();
  const offline = useOffline();
  const token = useStoredToken();

  useEffect(() => {
    const audio = document.createElement('audio');
    const spare = document.createElement('audio');
    document.body.append(audio);
    const pause = () => player.send({ type: 'pausePressed' });
    window.addEventListener('pagehide', pause);
    const cleanups = [
      player.attach(audio, spare),
      onComeback(() => player.send({ type: 'cameBack' })),
      () => window.removeEventListener('pagehide', pause),
    ];
    return () => {
      for (const cleanUp of cleanups) cleanUp();
      audio.remove();
      spare.remove();
    };
  }, [player]);

  useEffect(() => answerMediaKeys(player, company), [player, company]);

  useEffect(() => {
    output.setVolume({ level, muted });
  }, [output, level, muted]);

  useEffect(() => {
    if (baseUrl !== null) player.send({ type: 'streamBaseLearned', streamBase: baseUrl });
  }, [player, baseUrl]);

  useEffect(() => player.send({ type: 'tokenLearned', token }), [player, token]);

  const view = playerView(state, { token: tokenKind, muted: isMuted, offline, serverSilent });
  return { player, view };
}
