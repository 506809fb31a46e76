import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../records.ts';
import { tokenState } from '../tokenState.ts';
import { type Attempts, type Moment, NO_ATTEMPT } from './nextAttempt.ts';
import { type Answers, NO_ANSWERS } from './streamAnswer.ts';

const DELAY_ALLOWED_SECONDS = 5;
export const GAP_ALLOWED_MS = 500;

/** Its times are of the monotonic clock. */
export type ConnectionState = {
  id: number;
  url: string;
  /**
   * `waiting`: it played, and now the element waits for data; `starving`: it has waited for longer than a short gap, or
   * it was paused from outside.
   */
  phase: 'connecting' | 'playing' | 'waiting' | 'starving';
  phaseSince: number;
  playingSince: number | null;
  dataStoppedAt: number | null;
  /** No data has arrived for longer than a gap: only what is buffered will still play. */
  isBufferOnly: boolean;
  behindSeconds: number;
  hasNewerToken: boolean;
  mayHaveSlept: boolean;
  isSpeedForced: boolean;
  /** Opened without CORS: it plays whether or not the provider lets pages read its sound, and its level is not measured. */
  isPlain: boolean;
  /** When to open a measured connection beside this plain one; null where the page measures nothing. */
  measureAt: number | null;
};

/**
 * Why wanted sound is not attempted: `blocked` by the browser, `refused` by the provider, `pausedOutside` by another
 * program or the system, `reloaded` because browsers play nothing on a new page before a click.
 */
export type Obstacle = 'blocked' | 'refused' | 'pausedOutside' | 'reloaded';

/**
 * `startedAt` is in epoch milliseconds, `sinceMs` of the monotonic clock. `earlier` is told again if an ongoing dropout
 * turns out to be too short to be told.
 */
export type Dropout =
  | { kind: 'ongoing'; startedAt: number; sinceMs: number; earlier: PastDropout | null }
  | PastDropout;
type PastDropout = { kind: 'over'; startedAt: number; sinceMs: number; lastedMs: number };

/** Handed to the player with each event, which does not keep it: the moment, the token and the stream's base address. */
export type PlayerInput = Moment & { token: StoredToken | null; streamBase: string | null };

export type PlayerState = {
  /** Whether sound should play: set by the partner's play, cleared by the partner's pause or another tab's play. */
  wanted: boolean;
  obstacle: Obstacle | null;
  otherTabPlays: boolean;
  /** The partner creates a token. The connection stays open unheard, since the old token may open no other. */
  mutedWhileCreating: boolean;
  /** The last creation paused the sound, and play was not pressed since. */
  wasInterrupted: boolean;
  connection: ConnectionState | null;
  /** Opens beside the current connection and takes its place as soon as it plays. */
  replacement: ConnectionState | null;
  replacedAt: number | null;
  reconnect: Attempts;
  /** Attempts to open one beside the one that is heard. */
  replace: Attempts;
  answers: Answers;
  /** How many tokens in a row the provider refused. */
  refusedTokens: number;
  /** After each loss one attempt is plain: the next one, once a measured one failed or if the lost connection was plain. */
  plain: 'untried' | 'next' | 'tried';
  isProgrammeSilent: boolean;
  dropout: Dropout | null;
  hasPlayed: boolean;
  lastId: number;
};

export const NO_CONNECTION = {
  mutedWhileCreating: false,
  connection: null,
  replacement: null,
  reconnect: NO_ATTEMPT,
  replace: NO_ATTEMPT,
  answers: NO_ANSWERS,
  refusedTokens: 0,
  plain: 'untried' as PlayerState['plain'],
  isProgrammeSilent: false,
};

export const PLAYER_AT_REST: PlayerState = {
  ...NO_CONNECTION,
  wanted: false,
  obstacle: null,
  otherTabPlays: false,
  wasInterrupted: false,
  replacedAt: null,
  dropout: null,
  hasPlayed: false,
  lastId: 0,
};

/** Whether sound is wanted here, and not only remembered from before a reload. Then no other tab plays. Then no other tab plays. */
export function hasSound({ wanted, obstacle }: PlayerState): boolean {
  return wanted && obstacle !== 'reloaded';
}

export function isAtRest({ wanted, mutedWhileCreating, obstacle }: PlayerState): boolean {
  return !wanted || mutedWhileCreating || obstacle !== null;
}

/** Whether sound plays, or will play again with the token at hand: it then needs no session. */
export function isOnAir({ wanted, connection, obstacle, reconnect }: PlayerState): boolean {
  return wanted && (connection !== null || (obstacle === null && reconnect.dueAt !== null));
}

export function isFarBehind({ behindSeconds }: ConnectionState): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function wantsLevel({ measureAt }: ConnectionState, { monotonicMs }: Moment): boolean {
  return measureAt !== null && monotonicMs >= measureAt;
}

export function lacksSound(connection: ConnectionState): boolean {
  return connection.dataStoppedAt !== null || joinsLiveEdge(connection);
}

/** Another connection would play sound that is nearer to live. */
export function joinsLiveEdge(connection: ConnectionState): boolean {
  return isFarBehind(connection) || connection.hasNewerToken || connection.mayHaveSlept;
}

export function activeToken({ token, epochMs }: PlayerInput): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

export function streamAddress(input: PlayerInput): string | null {
  const token = activeToken(input);
  return token === null || input.streamBase === null ? null : streamUrl(input.streamBase, token);
}

export function withoutReplacement(state: PlayerState): PlayerState {
  return { ...state, replace: NO_ATTEMPT, replacement: null };
}
