import { isAtRest, outlivesToken, type PlayerState } from './player/playerState.ts';
import type { Tone } from './token/tone.ts';

export type NextAction = 'create' | 'play' | 'copy' | 'none';

export function nextAction(tone: Tone, player: PlayerState, wasInterrupted: boolean): NextAction {
  if (tone === 'calm') return wasInterrupted && isAtRest(player) ? 'play' : 'copy';
  if (!outlivesToken(player)) return 'create';
  return tone === 'last' ? 'copy' : 'none';
}
