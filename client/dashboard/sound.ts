import type { Dropout } from './player/dropout.ts';
import { isHeld, type PlayerState, type PlayerStatus } from './player/playerState.ts';

/** `missing`: it should be heard but is not; `off`: nothing should play. */
type StreamSound = 'heard' | 'missing' | 'off';

export type Sound = StreamSound | 'muted';

const MISSING: PlayerStatus[] = ['dry', 'silent', 'reconnecting', 'refused'];

export function soundOf(state: PlayerState, dropout: Dropout): StreamSound {
  if (state.kind === 'playing') return 'heard';
  if (MISSING.includes(state.kind) || dropout.kind === 'ongoing') return 'missing';
  return state.kind === 'paused' && state.because === 'lost' ? 'missing' : 'off';
}

export function soundThroughVolume(sound: StreamSound, isMuted: boolean): Sound {
  return sound === 'heard' && isMuted ? 'muted' : sound;
}

export function settledSound(player: PlayerState, sound: Sound): Sound | null {
  const changes = player.kind === 'connecting' || player.kind === 'buffering' || isHeld(player);
  return changes ? null : sound;
}

export function hearsNothing(sound: Sound): boolean {
  return sound === 'missing' || sound === 'muted';
}

export function alarmOf(sound: Sound, status: PlayerStatus): 'status' | 'notice' | 'none' {
  if (!hearsNothing(sound)) return 'none';
  return MISSING.includes(status) ? 'status' : 'notice';
}
