import { isAtRest } from '../../page/player/playerState.ts';
import { succeeds } from '../../page/succeeds.ts';
import { texts } from '../../texts.ts';
import type { DashboardState, DashboardStore } from '../store/dashboardStore.ts';

type PlayerSource = Pick<DashboardStore, 'subscribe' | 'send'> & {
  state(): Pick<DashboardState, 'player' | 'playedLast'>;
};

/**
 * Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered, and only in
 * the tab that was the last to play.
 */
export function answerMediaKeys(store: PlayerSource, company: () => string): () => void {
  const found = mediaSession();
  if (found === null) return () => undefined;
  const session = found;
  const play = () => store.send({ type: 'playPressed' });
  const pause = () => store.send({ type: 'pausePressed' });
  let shown = false;
  let answersPlay = false;

  function show(plays: boolean): void {
    succeeds(() => {
      session.metadata = plays ? new MediaMetadata({ title: texts.title, artist: company() }) : null;
      session.playbackState = plays ? 'playing' : 'none';
    });
    answer('pause', plays ? pause : null);
    answer('stop', plays ? pause : null);
  }

  function answer(action: MediaSessionAction, act: (() => void) | null): void {
    try {
      session.setActionHandler(action, act);
    } catch {
      // This browser does not know the action.
    }
  }

  function follow(): void {
    const { player, playedLast } = store.state();
    const plays = !isAtRest(player);
    if (plays !== shown) show(plays);
    shown = plays;
    if (playedLast !== answersPlay) answer('play', playedLast ? play : null);
    answersPlay = playedLast;
  }

  const unsubscribe = store.subscribe(follow);
  follow();

  return () => {
    unsubscribe();
    show(false);
    answer('play', null);
  };
}

function mediaSession(): MediaSession | null {
  try {
    return navigator.mediaSession ?? null;
  } catch {
    return null;
  }
}
