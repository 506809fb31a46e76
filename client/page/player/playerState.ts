import { streamUrl } from '../../../shared/streamUrl.ts';
import type { StoredToken } from '../records.ts';
import { tokenState } from '../tokenState.ts';
import { type Attempts, type Moment, NO_ATTEMPT } from './nextAttempt.ts';
import { type Answers, NO_ANSWERS } from './streamAnswer.ts';

const DELAY_ALLOWED_SECONDS = 5;
export const GAP_ALLOWED_MS = 500;

/** A connection that has not sounded yet. Times are of the monotonic clock, here and in `Heard`. */
export type Opening = {
  id: number;
  url: string;
  isSpeedForced: boolean;
  /** Opened without CORS: it plays whether or not the provider lets pages read its sound, and its level is not measured. */
  isPlain: boolean;
  /** When to open a measured connection beside this plain one; null where the page measures nothing. */
  measureAt: number | null;
};

/** A connection that has sounded. */
export type Heard = Opening & {
  /** `waiting`: the element waits for data; `starving`: for longer than a short gap, or it was paused from outside. */
  phase: 'playing' | 'waiting' | 'starving';
  phaseSince: number;
  playingSince: number;
  /** It took the place of one that was heard. */
  hasReplaced: boolean;
  /** The attempts that led to it: they count on if its sound does not last. */
  attempts: Attempts;
  dataStoppedAt: number | null;
  /** No data has arrived for longer than a gap: only what is buffered will still play. */
  isBufferOnly: boolean;
  behindSeconds: number;
  hasNewerToken: boolean;
  mayHaveSlept: boolean;
};

/**
 * Why wanted sound is not attempted: `blocked` by the browser, `refused` by the provider, `pausedOutside` by another
 * program or the system, `reloaded` because browsers play nothing on a new page before a click.
 */
export type Obstacle = 'blocked' | 'refused' | 'pausedOutside' | 'reloaded';

/**
 * It began at `epochMs`, which is `since` by the monotonic clock. `earlier` is told again if an ongoing dropout
 * turns out to be too short to be told.
 */
export type Dropout =
  | { kind: 'ongoing'; epochMs: number; since: number; earlier: PastDropout | null }
  | PastDropout;
type PastDropout = { kind: 'over'; epochMs: number; since: number; lastedMs: number };

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
  heard: Heard | null;
  /** Is heard as soon as it plays. Opens beside `heard` where that one will not last, or another would be nearer to live. */
  opening: Opening | null;
  /** The attempts of `opening`. */
  attempts: Attempts;
  answers: Answers;
  /** How many tokens in a row the provider refused. */
  refusedTokens: number;
  /** After each loss one attempt is plain: the next one, once a measured one failed or if the lost connection was plain. */
  plain: 'untried' | 'next' | 'tried';
  isProgrammeSilent: boolean;
  dropout: Dropout | null;
  hasPlayed: boolean;
};

export const NO_CONNECTION = {
  mutedWhileCreating: false,
  heard: null,
  opening: null,
  attempts: NO_ATTEMPT,
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
  dropout: null,
  hasPlayed: false,
};

/** Whether sound is wanted here, and not only remembered from before a reload. Then no other tab plays. */
export function hasSound({ wanted, obstacle }: PlayerState): boolean {
  return wanted && obstacle !== 'reloaded';
}

export function awaitsPlay({ wanted, mutedWhileCreating, obstacle }: PlayerState): boolean {
  return !wanted || mutedWhileCreating || obstacle !== null;
}

/** Whether sound plays, or will play again with the token at hand: it then needs no session. */
export function isOnAir(state: PlayerState): boolean {
  const { wanted, obstacle, attempts } = state;
  return wanted && (isConnected(state) || (obstacle === null && attempts.dueAt !== null));
}

export function isConnected({ heard, opening }: PlayerState): boolean {
  return heard !== null || opening !== null;
}

export function isFarBehind({ behindSeconds }: Heard): boolean {
  return behindSeconds > DELAY_ALLOWED_SECONDS;
}

export function wantsLevel({ measureAt }: Heard, { monotonicMs }: Moment): boolean {
  return measureAt !== null && monotonicMs >= measureAt;
}

export function lacksSound(heard: Heard): boolean {
  return heard.dataStoppedAt !== null || joinsLiveEdge(heard);
}

/** Another connection would play sound that is nearer to live. */
export function joinsLiveEdge(heard: Heard): boolean {
  return isFarBehind(heard) || heard.hasNewerToken || heard.mayHaveSlept;
}

export function activeToken({ token, epochMs }: PlayerInput): string | null {
  const state = tokenState(token, epochMs);
  return state.kind === 'active' ? state.token : null;
}

export function streamAddress(input: PlayerInput): string | null {
  const token = activeToken(input);
  return token === null || input.streamBase === null ? null : streamUrl(input.streamBase, token);
}

/** The connection that is heard needs no other one beside it. */
export function withoutOpening(state: PlayerState): PlayerState {
  return { ...state, attempts: NO_ATTEMPT, opening: null };
}
