import type { StoredToken } from '../../session/localRecords.ts';
import { tokenState } from '../token/tokenState.ts';
import { type Attempts, isLikelyRefused, isRefused, NO_ATTEMPTS } from './attempts.ts';
import { type Creations, NO_CREATIONS } from './creations.ts';
import { type Dropout, type Moment, NO_DROPOUT, type SoundPhase } from './dropout.ts';

const DELAY_ALLOWED_SECONDS = 5;
export const GAP_ALLOWED_MS = 500;

/** The connection that is heard, or will be. Its times are of the monotonic clock. */
export type Heard = {
  id: number;
  url: string;
  /** `waiting`: it has sounded, and the element waits for data; `starving`: for so long that it is told. */
  phase: 'opening' | 'sounding' | 'waiting' | 'starving';
  phaseSince: number;
  soundSince: number | null;
  dataStoppedAt: number | null;
  /** No data has arrived for longer than a gap: only what is buffered will still play. */
  isDry: boolean;
  behindSeconds: number;
  hasNewerToken: boolean;
};

/** Replaces the heard connection as soon as it sounds: an open connection, or none until the next attempt. */
export type Beside = {
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
  /** Paused while a token is created. The connection stays open: if that fails, the old token may open no other. */
  held: boolean;
  /** The partner ordered it beforehand: sound that is lost and has no usable token makes one. */
  createsTokens: boolean;
  creations: Creations;
  token: StoredToken | null;
  streamBase: string | null;
  heard: Heard | null;
  beside: Beside | null;
  replacedAt: number | null;
  attempts: Attempts;
  isProgrammeSilent: boolean;
  dropout: Dropout;
  hasSounded: boolean;
  lastId: number;
};

export const PLAYER_AT_REST: PlayerState = {
  wanted: false,
  claim: null,
  obstacle: null,
  otherTabPlays: false,
  pressedAt: null,
  held: false,
  createsTokens: false,
  creations: NO_CREATIONS,
  token: null,
  streamBase: null,
  heard: null,
  beside: null,
  replacedAt: null,
  attempts: NO_ATTEMPTS,
  isProgrammeSilent: false,
  dropout: NO_DROPOUT,
  hasSounded: false,
  lastId: 0,
};

/** Nothing plays, and nothing is tried by itself. */
export function isAtRest({ wanted, held, obstacle }: PlayerState): boolean {
  return !wanted || held || obstacle !== null;
}

export function soundPhase(state: PlayerState): SoundPhase {
  const { wanted, held, obstacle, heard, attempts, dropout } = state;
  if (!wanted || held) return 'off';
  if (obstacle === null && (heard?.phase === 'sounding' || heard?.phase === 'waiting')) return 'sounding';
  const wasLost = obstacle !== null || attempts.failed > 0 || dropout.kind === 'ongoing';
  return wasLost || heard?.phase === 'starving' ? 'missing' : 'opening';
}

export function isDry({ heard, beside }: PlayerState): boolean {
  return heard?.isDry === true && beside === null;
}

/** Sound is wanted but not heard, or not for long: a new token is for hearing it again. */
export function isLost(state: PlayerState): boolean {
  const phase = soundPhase(state);
  return phase === 'missing' || (phase === 'sounding' && (isDry(state) || state.isProgrammeSilent));
}

export function isLate({ behindSeconds }: Heard): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function activeToken({ token }: PlayerState, { epochMs }: Moment): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

export function needsToken(state: PlayerState, now: Moment): boolean {
  const { wanted, held, obstacle, heard, attempts } = state;
  if (!wanted || held || (obstacle !== null && obstacle !== 'refused')) return false;
  if (activeToken(state, now) === null) return heard === null || isDry(state);
  return heard === null && (state.hasSounded ? isLikelyRefused(attempts) : isRefused(attempts));
}
