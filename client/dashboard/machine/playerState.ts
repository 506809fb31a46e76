import type { StoredToken } from '../../session/localRecords.ts';
import { type Creations, NO_CREATIONS } from './creations.ts';
import { type Dropout, NO_DROPOUT, type SoundPhase } from './dropout.ts';
import type { Moment } from './moment.ts';
import { isLikelyRefused, isRefused, NO_RECONNECTION, type Reconnection } from './reconnectionState.ts';
import { tokenState } from './tokenState.ts';

const DELAY_ALLOWED_SECONDS = 5;
export const GAP_ALLOWED_MS = 500;

/**
 * Four names for what the player does: `phase` of a connection; `SoundPhase`, across connections; `PlayerStatus`, the
 * words on the page; `Audibility`, for title and icon.
 */

/** The connection that is heard, or will be. Its times are of the monotonic clock. */
export type CurrentConnection = {
  id: number;
  url: string;
  /**
   * `waiting`: it has played, and the element waits for data; `starving`: for so long that the page says so, or paused
   * from outside.
   */
  phase: 'connecting' | 'playing' | 'waiting' | 'starving';
  phaseSince: number;
  playingSince: number | null;
  dataStoppedAt: number | null;
  /** No data has arrived for longer than a gap: only what is buffered will still play. */
  isDry: boolean;
  behindSeconds: number;
  hasNewerToken: boolean;
};

/** Takes the place of the current connection as soon as it plays. `open` is null until the next attempt. */
export type Replacement = {
  open: { id: number; url: string } | null;
  failures: number;
  since: number;
  dueAt: number;
};

/**
 * Keeps wanted sound from being tried: `blocked` by the browser, `refused` by the provider, `pausedOutside` by another
 * program, `reloaded` because browsers play nothing on a new page before a click.
 */
export type Obstacle = 'blocked' | 'refused' | 'pausedOutside' | 'reloaded';

/** When a tab pressed play, and a number that no other tab has. */
export type Claim = { epochMs: number; chance: number };

export type PlayerState = {
  /** Sound should play: set by the partner's play, cleared by the partner's pause or another tab's play. */
  wanted: boolean;
  claim: Claim | null;
  obstacle: Obstacle | null;
  otherTabPlays: boolean;
  pressedAt: number | null;
  /** Silenced while the partner creates a token. Its connection stays open, since the old token may open no other. */
  held: boolean;
  /** The partner allowed the page to create a token when sound is lost and no token can restore it. */
  autoCreate: boolean;
  creations: Creations;
  token: StoredToken | null;
  streamBase: string | null;
  connection: CurrentConnection | null;
  replacement: Replacement | null;
  replacedAt: number | null;
  reconnection: Reconnection;
  isProgrammeSilent: boolean;
  dropout: Dropout;
  hasPlayed: boolean;
  lastId: number;
};

export const PLAYER_AT_REST: PlayerState = {
  wanted: false,
  claim: null,
  obstacle: null,
  otherTabPlays: false,
  pressedAt: null,
  held: false,
  autoCreate: false,
  creations: NO_CREATIONS,
  token: null,
  streamBase: null,
  connection: null,
  replacement: null,
  replacedAt: null,
  reconnection: NO_RECONNECTION,
  isProgrammeSilent: false,
  dropout: NO_DROPOUT,
  hasPlayed: false,
  lastId: 0,
};

/** Nothing plays, and nothing is tried by itself. */
export function isAtRest({ wanted, held, obstacle }: PlayerState): boolean {
  return !wanted || held || obstacle !== null;
}

/** Sound plays, or will without a new token: the page needs no session for it. */
export function isOnAir({ wanted, connection, obstacle, reconnection }: PlayerState): boolean {
  return wanted && (connection !== null || (obstacle === null && reconnection.dueAt !== null));
}

export function soundPhase(state: PlayerState): SoundPhase {
  const { wanted, held, obstacle, connection, reconnection, dropout } = state;
  if (!wanted || held) return 'off';
  if (obstacle === null && (connection?.phase === 'playing' || connection?.phase === 'waiting'))
    return 'playing';
  const wasLost = obstacle !== null || reconnection.failed > 0 || dropout.kind === 'ongoing';
  return wasLost || connection?.phase === 'starving' ? 'lost' : 'connecting';
}

export function isDry({ connection, replacement }: PlayerState): boolean {
  return connection?.isDry === true && replacement === null;
}

/** Sound is wanted but not heard, or only until the buffer is empty: a token made now is for hearing it again. */
export function isMissing(state: PlayerState): boolean {
  const phase = soundPhase(state);
  return phase === 'lost' || (phase === 'playing' && (isDry(state) || state.isProgrammeSilent));
}

export function isFarBehind({ behindSeconds }: CurrentConnection): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function activeToken({ token }: PlayerState, { epochMs }: Moment): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

export function needsToken(state: PlayerState, now: Moment): boolean {
  const { wanted, held, obstacle, connection, reconnection } = state;
  if (!wanted || held || (obstacle !== null && obstacle !== 'refused')) return false;
  if (activeToken(state, now) === null) return connection === null || isDry(state);
  return connection === null && (state.hasPlayed ? isLikelyRefused(reconnection) : isRefused(reconnection));
}
