import { texts } from '../../texts.ts';
import type { Page, PageState } from '../createPage.ts';
import { isAtRest } from '../machine/playerState.ts';

type PlayingPage = Pick<Page, 'subscribe' | 'send'> & { state(): Pick<PageState, 'player'> };

/** Shows the audio on lock screens, headsets and media keys. While paused only the play key stays registered. */
export function answerMediaKeys(page: PlayingPage, company: () => string): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  const play = () => page.send({ type: 'playPressed' });
  const pause = () => page.send({ type: 'pausePressed' });
  let shown = false;

  function show(plays: boolean): void {
    session.metadata = plays ? new MediaMetadata({ title: texts.title, artist: company() }) : null;
    session.playbackState = plays ? 'playing' : 'none';
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
    const plays = !isAtRest(page.state().player);
    if (plays !== shown) show(plays);
    shown = plays;
  }

  const unsubscribe = page.subscribe(follow);
  follow();
  answer('play', play);

  return () => {
    unsubscribe();
    show(false);
    answer('play', null);
  };
}
