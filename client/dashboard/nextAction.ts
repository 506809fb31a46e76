import type { PlayerView } from './player/playerView.ts';
import type { Urgency } from './token/urgency.ts';

export type NextAction = 'create' | 'play' | 'copy' | 'none';

export function nextAction(
  urgency: Urgency,
  player: Pick<PlayerView, 'isAtRest' | 'outlivesToken'>,
  wasInterrupted: boolean,
): NextAction {
  if (urgency === 'calm') return wasInterrupted && player.isAtRest ? 'play' : 'copy';
  if (!player.outlivesToken) return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}
