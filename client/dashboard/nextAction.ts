import type { Urgency } from '../page/urgency.ts';
import type { PlayerView } from './player/playerView.ts';

export type NextAction = 'create' | 'play' | 'copy' | 'none';

export function nextAction(
  urgency: Urgency,
  player: Pick<PlayerView, 'button' | 'needsPlay' | 'outlivesToken'>,
  wasInterrupted: boolean,
): NextAction {
  if (player.needsPlay) return 'play';
  if (urgency === 'calm') return wasInterrupted && player.button === 'play' ? 'play' : 'copy';
  if (!player.outlivesToken) return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}
