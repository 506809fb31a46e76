import { isAtRest, outlivesToken, type PlayerState } from './player/playerState.ts';
import type { Urgency } from './token/urgency.ts';

export type NextAction = 'create' | 'play' | 'copy' | 'none';

export function nextAction(urgency: Urgency, player: PlayerState, wasInterrupted: boolean): NextAction {
  if (urgency === 'calm') return wasInterrupted && isAtRest(player) ? 'play' : 'copy';
  if (!outlivesToken(player)) return 'create';
  return urgency === 'last' ? 'copy' : 'none';
}
