import { useEffect, useState, useSyncExternalStore } from 'react';
import { PAGE_META } from '../../../shared/pageMeta.ts';
import { onComeback } from '../../api/backoff.ts';
import { useOffline } from '../../api/offline.ts';
import type { ServerTrouble } from '../../api/retry.ts';
import { readPageMeta } from '../../readPageMeta.ts';
import { type Account, localRecords, useStoredToken } from '../../session/localRecords.ts';
import { TAB_STORAGE_KEYS, tabStorage } from '../../session/storage.ts';
import type { TokenState } from '../token/tokenState.ts';
import { createSoundOutput } from './connection/soundOutput.ts';
import { answerMediaKeys } from './mediaKeys.ts';
import { playerView } from './playerView.ts';
import { runPlayer } from './runPlayer.ts';
import { useAutoCreate } from './useAutoCreate.ts';
import { audibleLevel, useVolume } from './volume.ts';

export function usePlayer(
  { baseUrl, serverTrouble }: { baseUrl: string | null; serverTrouble: ServerTrouble | null },
  account: Account,
  tokenKind: TokenState['kind'],
  sessionEnded: boolean,
) {
  const [output] = useState(() => createSoundOutput(readPageMeta(PAGE_META.streamCors) === 'on'));
  const [player] = useState(() => runPlayer(output, memoryOf(account.id)));
  const state = useSyncExternalStore(player.subscribe, player.state);
  const { level, muted } = useVolume();
  const offline = useOffline();
  const token = useStoredToken();

  useEffect(() => {
    // Not rendered by React, because the player swaps the two.
    const audio = document.createElement('audio');
    const spare = document.createElement('audio');
    document.body.append(audio);
    const leave = () => player.send({ type: 'pageLeft' });
    window.addEventListener('pagehide', leave);
    const cleanups = [
      player.attach(audio, spare),
      onComeback(() => player.send({ type: 'cameBack' })),
      () => window.removeEventListener('pagehide', leave),
    ];
    return () => {
      for (const cleanUp of cleanups) cleanUp();
      audio.remove();
      spare.remove();
    };
  }, [player]);

  useEffect(() => answerMediaKeys(player, account.company), [player, account.company]);

  useEffect(() => {
    output.setVolume({ level, muted });
  }, [output, level, muted]);

  useEffect(() => {
    if (baseUrl !== null) player.send({ type: 'streamBaseLearned', streamBase: baseUrl });
  }, [player, baseUrl]);

  // A session's end clears the stored token. The one in use can still open a connection, so the next session gets it.
  useEffect(() => {
    const used = player.state().token;
    if (token !== null) player.send({ type: 'tokenLearned', token });
    else if (used !== null && !sessionEnded) localRecords.keepToken(used.token, used.expiresAt);
  }, [player, token, sessionEnded]);

  const [autoCreate, setAutoCreate] = useAutoCreate(account.id);
  const on = autoCreate && !sessionEnded;
  useEffect(() => player.send({ type: 'autoCreateChanged', on }), [player, on]);

  const view = playerView(state, {
    token: tokenKind,
    muted: audibleLevel({ level, muted }) === 0,
    offline,
    serverTrouble,
  });
  return { player, view, autoCreate, setAutoCreate };
}

function memoryOf(accountId: string) {
  return {
    wasWanted: () => tabStorage.getItem(TAB_STORAGE_KEYS.soundWanted) === accountId,
    keep(wanted: boolean) {
      if (wanted) tabStorage.setItem(TAB_STORAGE_KEYS.soundWanted, accountId);
      else tabStorage.removeItem(TAB_STORAGE_KEYS.soundWanted);
    },
  };
}
