import { texts } from '../../texts.ts';
import { isAtRest } from '../machine/playerState.ts';
import type { DashboardState, DashboardStore } from '../store/dashboardStore.ts';
import { succeeds } from '../store/succeeds.ts';

type PlayerSource = Pick<DashboardStore, 'subscribe' | 'send'> & { state(): Pick<DashboardState, 'player'> };

/**
 * Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered, and only in
 * the tab that played last: in another one a headset's button would take the audio from the tab that plays.
 */
export function answerMediaKeys(store: PlayerSource, company: () => string): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  const play = () => store.send({ type: 'playPressed' });
  const pause = () => store.send({ type: 'pausePressed' });
  let shown = false;
  let playedLast = false;

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
    const { player } = store.state();
    const plays = !isAtRest(player);
    if (plays !== shown) show(plays);
    shown = plays;
    const playsLast = player.wanted || (playedLast && !player.otherTabPlays);
    if (playsLast !== playedLast) answer('play', playsLast ? play : null);
    playedLast = playsLast;
  }

  const unsubscribe = store.subscribe(follow);
  follow();

  return () => {
    unsubscribe();
    show(false);
    answer('play', null);
  };
}
