import type { Player } from './player.ts';
import { isAtRest } from './playerState.ts';

const CHANNEL = 'player';

export function oneTabPlays(player: Pick<Player, 'state' | 'subscribe' | 'otherTab'>): () => void {
  if (!('BroadcastChannel' in globalThis)) return () => undefined;
  const channel = new BroadcastChannel(CHANNEL);
  let hasSound = false;

  const unsubscribe = player.subscribe(() => {
    const state = player.state();
    const takesSound = !isAtRest(state);
    if (takesSound === hasSound) return;
    hasSound = takesSound;
    const lostToOther = state.kind === 'paused' && state.because === 'otherTab';
    if (!lostToOther) channel.postMessage(takesSound ? 'play' : 'stop');
  });
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'play' || data === 'stop') player.otherTab(data);
  };

  return () => {
    unsubscribe();
    channel.close();
  };
}
