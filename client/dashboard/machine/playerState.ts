import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../../session/localRecords.ts';
import { type AttemptKind, type Attempts, NO_ATTEMPT, withAttempts } from './attempts.ts';
import type { Dropout } from './dropout.ts';
import type { Moment } from './moment.ts';
import { type Answers, NO_ANSWERS } from './streamAnswer.ts';
import { tokenState } from './tokenState.ts';

const DELAY_ALLOWED_SECONDS = 5;
export const GAP_ALLOWED_MS = 500;

/** A connection that is heard, or will be. Its times are of the monotonic clock. */
export type ConnectionState = {
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

/**
 * Keeps wanted sound from being tried: `blocked` by the browser, `refused` by the provider, `pausedOutside` by another
 * program, `reloaded` because browsers play nothing on a new page before a click.
 */
export type Obstacle = 'blocked' | 'refused' | 'pausedOutside' | 'reloaded';

/** When a tab pressed play, and a number that no other tab has. */
export type Claim = Pick<Moment, 'epochMs' | 'chance'>;

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
  creating: 'pressed' | 'automatic' | null;
  /** The last creation stopped the sound, and it was not played since. */
  wasInterrupted: boolean;
  token: StoredToken | null;
  streamBase: string | null;
  connection: ConnectionState | null;
  /** Takes the place of the current connection as soon as it plays. */
  replacement: ConnectionState | null;
  replacedAt: number | null;
  /** Attempts so far, and when the next ones are due. */
  attempts: Record<AttemptKind, Attempts>;
  answers: Answers;
  isProgrammeSilent: boolean;
  dropout: Dropout | null;
  hasPlayed: boolean;
  lastId: number;
};

/** Nothing is open, and nothing was tried. */
export const NO_CONNECTION = {
  held: false,
  connection: null,
  replacement: null,
  attempts: { reconnect: NO_ATTEMPT, replace: NO_ATTEMPT, create: NO_ATTEMPT },
  answers: NO_ANSWERS,
  isProgrammeSilent: false,
};

export const PLAYER_AT_REST: PlayerState = {
  ...NO_CONNECTION,
  wanted: false,
  claim: null,
  obstacle: null,
  otherTabPlays: false,
  pressedAt: null,
  autoCreate: false,
  creating: null,
  wasInterrupted: false,
  token: null,
  streamBase: null,
  replacedAt: null,
  dropout: null,
  hasPlayed: false,
  lastId: 0,
};

/** Nothing plays, and nothing is tried by itself. */
export function isAtRest({ wanted, held, obstacle }: PlayerState): boolean {
  return !wanted || held || obstacle !== null;
}

/** Sound plays, or will without a new token: the page needs no session for it. */
export function isOnAir({ wanted, connection, obstacle, attempts }: PlayerState): boolean {
  return wanted && (connection !== null || (obstacle === null && attempts.reconnect.dueAt !== null));
}

export function isFarBehind({ behindSeconds }: ConnectionState): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function activeToken({ token }: PlayerState, { epochMs }: Moment): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

/** Returns the address that opens the stream; null without a valid token, or while the base address is unknown. */
export function streamAddress(state: PlayerState, now: Moment): string | null {
  const token = activeToken(state, now);
  return token === null || state.streamBase === null ? null : streamUrl(state.streamBase, token);
}

export function withoutReplacement(state: PlayerState): PlayerState {
  return { ...withAttempts(state, 'replace', NO_ATTEMPT), replacement: null };
}
