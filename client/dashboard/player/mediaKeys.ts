import { texts } from '../../texts.ts';
import type { Player } from './player.ts';
import { isAtRest } from './playerState.ts';

/**
 * Shows the audio on lock screens, headsets and media keys, and lets it be paused there. While paused only the play key stays
 * registered. Returns a cleanup function.
 */
export function answerMediaKeys(
  player: Pick<Player, 'state' | 'subscribe' | 'play' | 'pause'>,
  company: string,
): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  let shown = false;

  function show(): void {
    session.metadata = new MediaMetadata({ title: texts.title, artist: company });
    session.playbackState = 'playing';
    answer('pause', player.pause);
    answer('stop', player.pause);
  }

  function release(): void {
    session.metadata = null;
    session.playbackState = 'none';
    answer('pause', null);
    answer('stop', null);
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
    if (plays === shown) return;
    shown = plays;
    if (plays) show();
    else release();
  }

  const unsubscribe = player.subscribe(follow);
  follow();
  answer('play', player.play);

  return () => {
    unsubscribe();
    release();
    answer('play', null);
  };
}
