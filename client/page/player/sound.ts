import type { Obstacle, PlayerState } from './playerState.ts';

/**
 * The sound that is heard, or the reason for its absence: an obstacle, or
 * - `off`: no sound is wanted now,
 * - `dry`: only buffered sound still plays,
 * - `silent`: the programme itself is silent,
 * - `starving`: the connection is open, but has no data,
 * - `reconnecting`: the sound stopped or never came, and another connection is attempted.
 */
export type Sound =
  | 'off'
  | 'connecting'
  | 'playing'
  | 'dry'
  | 'silent'
  | 'starving'
  | 'reconnecting'
  | Obstacle;

export function soundOf(state: PlayerState): Sound {
  const { wanted, mutedWhileCreating, obstacle, heard, attempts, dropout } = state;
  if (!wanted || mutedWhileCreating) return 'off';
  if (obstacle !== null) return obstacle;
  switch (heard?.phase) {
    case 'playing':
    case 'waiting':
      if (isDry(state)) return 'dry';
      return state.isProgrammeSilent ? 'silent' : 'playing';
    case 'starving':
      // Also between two attempts, so that one status stands while they are refused.
      return isReplacing(state) ? 'reconnecting' : 'starving';
    default:
      return attempts.count > 0 || dropout?.kind === 'ongoing' ? 'reconnecting' : 'connecting';
  }
}

export function isDry(state: PlayerState): boolean {
  return state.heard?.isBufferOnly === true && !isReplacing(state);
}

/** Another connection opens beside the one that is heard, or soon will. */
export function isReplacing({ heard, opening, attempts }: PlayerState): boolean {
  return heard !== null && (opening !== null || attempts.dueAt !== null);
}

export function isPlaying(sound: Sound): boolean {
  return sound === 'playing' || sound === 'dry' || sound === 'silent';
}

/** Sound is wanted but not heard, or only until the buffer is empty; a new token should bring it back. */
export function isMissing(sound: Sound): boolean {
  return sound !== 'off' && sound !== 'connecting' && sound !== 'playing';
}
