import { texts } from '../../texts.ts';
import type { Player } from './player.ts';
import { isAtRest } from './playerState.ts';

/** Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered. */
export function answerMediaKeys(
  player: Pick<Player, 'state' | 'subscribe' | 'play' | 'pause'>,
  company: string,
): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  let shown = false;

  function show(plays: boolean): void {
    session.metadata = plays ? new MediaMetadata({ title: texts.title, artist: company }) : null;
    session.playbackState = plays ? 'playing' : 'none';
    answer('pause', plays ? player.pause : null);
    answer('stop', plays ? player.pause : null);
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
  answer('play', player.play);

  return () => {
    unsubscribe();
    show(false);
    answer('play', null);
  };
}
