import { texts } from '../../texts.ts';
import type { PlayerEvent } from '../machine/playerMachine.ts';
import { isAtRest, type PlayerState } from '../machine/playerState.ts';

type Player = {
  state(): PlayerState;
  subscribe(onChange: () => void): () => void;
  send(event: PlayerEvent): void;
};

/** Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered. */
export function answerMediaKeys(player: Player, company: () => string): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  const play = () => player.send({ type: 'playPressed' });
  const pause = () => player.send({ type: 'pausePressed' });
  let shown = false;

  function show(plays: boolean): void {
    session.metadata = plays ? new MediaMetadata({ title: texts.title, artist: company() }) : null;
    session.playbackState = plays ? 'playing' : 'none';
    answer('pause', plays ? pause : null);
    answer('stop', plays ? pause : null);
  }

  function answer(key: MediaSessionAction, act: (() => void) | null): void {
    try {
      session.setActionHandler(key, act);
    } catch {
      // This browser does not know the key.
    }
  }

  function follow(): void {
    const plays = !isAtRest(player.state());
    if (plays !== shown) show(plays);
    shown = plays;
  }

  const unsubscribe = player.subscribe(follow);
  follow();
  answer('play', play);

  return () => {
    unsubscribe();
    show(false);
    answer('play', null);
  };
}
