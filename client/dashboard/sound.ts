import type { PlayerStatus, soundOf } from './player/playerState.ts';

/** The sound as the partner hears it: `missing` was asked for and is not there, `muted` is there but turned off in the page. */
export type Sound = ReturnType<typeof soundOf> | 'muted';

export function soundThroughVolume(sound: ReturnType<typeof soundOf>, isMuted: boolean): Sound {
  return sound === 'heard' && isMuted ? 'muted' : sound;
}

/** Returns whether the partner hears nothing without having asked for silence by a pause; all of these cases look alike. */
export function hearsNothing(sound: Sound): boolean {
  return sound === 'missing' || sound === 'muted';
}

const TOLD_BY_STATUS: PlayerStatus[] = ['reconnecting', 'refused', 'dry', 'silent'];

/** Returns which of the two texts below the button says why nothing is heard, if nothing is. */
export function alarmOf(sound: Sound, status: PlayerStatus): 'status' | 'notice' | 'none' {
  if (!hearsNothing(sound)) return 'none';
  return TOLD_BY_STATUS.includes(status) ? 'status' : 'notice';
}
