import type { Page } from '../../page/createPage.ts';
import { awaitsPlay } from '../../page/player/playerState.ts';
import { runSafely } from '../../page/runSafely.ts';
import { texts } from '../../texts.ts';

/**
 * Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered, and only
 * in the tab that was the last to play.
 */
export function answerMediaKeys(page: Pick<Page, 'shown' | 'subscribe' | 'send'>): void {
  const found = mediaSession();
  if (found === null) return;
  const session = found;
  const play = () => page.send({ type: 'playPressed' });
  const pause = () => page.send({ type: 'pausePressed' });
  let showsPlaying = false;
  let answersPlay = false;

  /** @param company - whose sound plays; null at rest */
  function show(company: string | null): void {
    const plays = company !== null;
    runSafely(() => {
      session.metadata = plays ? new MediaMetadata({ title: texts.title, artist: company }) : null;
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
    const shown = page.shown();
    const isSignedIn = shown.kind === 'signedIn';
    const plays = isSignedIn && !awaitsPlay(shown.dashboard.player);
    const playsLast = isSignedIn && shown.playedLast;
    if (plays !== showsPlaying) show(plays ? shown.account.company : null);
    showsPlaying = plays;
    if (playsLast !== answersPlay) answer('play', playsLast ? play : null);
    answersPlay = playsLast;
  }

  page.subscribe(follow);
  follow();
}

function mediaSession(): MediaSession | null {
  try {
    return navigator.mediaSession ?? null;
  } catch {
    return null;
  }
}
