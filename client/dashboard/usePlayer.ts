import { useEffect, useState, useSyncExternalStore } from 'react';
import { localRecords } from '../localRecords.ts';
import { createPlayer } from './player.ts';
import { tokenState } from './tokenState.ts';

/** One player for the life of the dashboard; it stops when the dashboard is left. */
export function usePlayer(streamBase: string | null) {
  const [player] = useState(() => createPlayer(activeToken));
  const state = useSyncExternalStore(player.subscribe, player.state);

  useEffect(() => {
    const audio = document.body.appendChild(document.createElement('audio'));
    const detach = player.attach(audio);
    return () => {
      detach();
      audio.remove();
    };
  }, [player]);

  useEffect(() => {
    if (streamBase !== null) player.streamBaseLearned(streamBase);
  }, [player, streamBase]);

  return { player, state };
}

function activeToken(): string | null {
  const state = tokenState(localRecords.token(), Date.now());
  return state.kind === 'active' ? state.token : null;
}
