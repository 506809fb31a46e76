import type { StoredToken } from '../../session/localRecords.ts';
import { tokenState } from '../token/tokenState.ts';
import { type Attempts, NO_ATTEMPTS } from './attempts.ts';
import { type Dropout, type Moment, NO_DROPOUT } from './dropout.ts';

const DELAY_ALLOWED_SECONDS = 5;

/** The connection that is heard, or will be. `waiting`: it has sounded, and the element waits for data. */
export type Heard = {
  id: number;
  url: string;
  phase: 'opening' | 'sounding' | 'waiting';
  /** When its sound began, by the monotonic clock; null before any sound. */
  soundSince: number | null;
  /** No more data arrives, though buffered sound may still play. */
  supplyEnded: boolean;
  behindSeconds: number;
};

/** What will replace the heard connection as soon as it sounds: an open connection, or none until the next attempt. */
export type Beside = { open: { id: number; url: string } | null; failures: number; dueAt: number };

/** Everything that the player remembers. */
export type PlayerState = {
  /** Sound should play: set by the partner's play, cleared by the partner's pause. */
  wanted: boolean;
  /** What cleared `wanted`. */
  stoppedBy: 'partner' | 'browser' | 'loss' | 'refusal' | 'otherTab';
  /** A token is being created. The connection is kept unheard, since the old token may open no other if that fails. */
  held: boolean;
  token: StoredToken | null;
  streamBase: string | null;
  heard: Heard | null;
  beside: Beside | null;
  replacedAt: number | null;
  attempts: Attempts;
  /** The programme itself is silent. */
  silent: boolean;
  dropout: Dropout;
  /** The current play has sounded. */
  hasSounded: boolean;
  lastId: number;
};

export const PLAYER_AT_REST: PlayerState = {
  wanted: false,
  stoppedBy: 'partner',
  held: false,
  token: null,
  streamBase: null,
  heard: null,
  beside: null,
  replacedAt: null,
  attempts: NO_ATTEMPTS,
  silent: false,
  dropout: NO_DROPOUT,
  hasSounded: false,
  lastId: 0,
};

export function isAtRest({ wanted, held }: PlayerState): boolean {
  return !wanted || held;
}

/** `missing`: sound is wanted, but was lost or did not come. */
export type SoundPhase = 'off' | 'opening' | 'sounding' | 'missing';

export function soundPhase(state: PlayerState): SoundPhase {
  const { heard, attempts } = state;
  if (isAtRest(state)) return 'off';
  if (heard?.phase === 'sounding') return 'sounding';
  return heard?.phase === 'waiting' || attempts.failed > 0 ? 'missing' : 'opening';
}

export function isLate({ behindSeconds }: Heard): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function activeToken({ token }: PlayerState, { epochMs }: Moment): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

/** When time alone will change something, by the monotonic clock; null if nothing is due. */
export function nextDueAt(state: PlayerState): number | null {
  const { heard, beside, attempts } = state;
  if (isAtRest(state) || attempts.asking !== null) return null;
  if (heard === null) return attempts.dueAt;
  return beside?.open === null ? beside.dueAt : null;
}
