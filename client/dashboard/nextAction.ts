import type { PlayerView } from './player/playerView.ts';
import type { Urgency } from './token/urgency.ts';

export type NextAction = 'create' | 'play' | 'copy' | 'none';

export function nextAction(
  urgency: Urgency,
  player: Pick<PlayerView, 'isAtRest' | 'needsPlay' | 'outlivesToken'>,
  wasInterrupted: boolean,
): NextAction {
  if (player.needsPlay) return 'play';
  if (urgency === 'calm') return wasInterrupted && player.isAtRest ? 'play' : 'copy';
  if (!player.outlivesToken) return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}
