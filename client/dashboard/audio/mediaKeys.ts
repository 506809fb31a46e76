import type { Page } from '../../page/createPage.ts';
import { isAtRest } from '../../page/player/playerState.ts';
import { succeeds } from '../../page/succeeds.ts';
import { playedLast } from '../../page/wantedRecords.ts';
import { texts } from '../../texts.ts';

/**
 * Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered, and only in
 * the tab that was the last to play.
 */
export function answerMediaKeys(
  page: Pick<Page, 'state' | 'subscribe' | 'send'>,
  company: () => string,
): () => void {
  const found = mediaSession();
  if (found === null) return () => undefined;
  const session = found;
  const play = () => page.send({ type: 'playPressed' });
  const pause = () => page.send({ type: 'pausePressed' });
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
    const state = page.state();
    const plays = !isAtRest(state.dashboard.player);
    const playsLast = playedLast(state);
    if (plays !== shown) show(plays);
    shown = plays;
    if (playsLast !== answersPlay) answer('play', playsLast ? play : null);
    answersPlay = playsLast;
  }

  const unsubscribe = page.subscribe(follow);
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
