import type { Failure } from '../api/failure.ts';
import type { DashboardQuery } from '../generated/graphql.ts';
import type { Attempts } from './player/nextAttempt.ts';
import type { PlayerEvent } from './player/playerMachine.ts';
import type { PlayerState } from './player/playerState.ts';
import type { Account, Records, StoredToken } from './records.ts';
import type { CreatedToken } from './surroundings.ts';
import type { TabRecords } from './tabRecords.ts';

/** Everything that the page knows. `update` alone changes it. */
export type PageState = {
  /** This page's own name among the tabs. */
  id: string;
  /** What is on record, as this page last read or wrote it. */
  known: Records;
  tabKnown: TabRecords;
  /** The ids of the accounts that ticked `Si se corta el audio, crear otro Token`. */
  ticked: string[];
  lastPress: { button: 'play' | 'create' | null; at: number };
  account: Account;
  /** The dashboard stays until the sound ends too. */
  sessionEnded: boolean;
  /** The dashboard closed, and takes no more events. */
  hasEnded: boolean;
  dashboard: Dashboard;
};

/** Times are of the monotonic clock. */
export type Dashboard = {
  /** The one token: shown, played, and on record while the session lasts. It outlives the session in memory. */
  token: StoredToken | null;
  /** When a record whose token and expiry may not belong together is believed as it is. */
  believedAt: number | null;
  /** Replaced tokens that may still be valid, newest first, for other encoders. */
  earlier: StoredToken[];
  /** The address of the stream, which the token completes; null until the server told it. */
  streamBase: string | null;
  /** The number of the question for the account and the stream's address; an answer with another number is late. */
  question: number | null;
  creation: Creation | null;
  /** Tokens that nobody pressed for. */
  unasked: Attempts;
  /** How the last creation ended, while that is shown. */
  outcome: Outcome | null;
  /** The page whose sound was wanted in this tab, while this page asks whether that one is still open. */
  recalledFrom: string | null;
  locks: Locks;
  player: PlayerState;
  /** The last number that was given to a question or a creation. */
  lastNumber: number;
};

/** A creation under way. The partner waits for one that was pressed; an answer with another number is late. */
export type Creation = { number: number; by: 'partner' | 'page' };

export type Outcome = { endsAt: number } & (
  | { kind: 'failed'; failure: Failure }
  | { kind: 'made'; token: string; epochMs: number }
);

/**
 * The locks that this page holds or asked for, named by pages of this tab: its own, and that of the page before it. A page
 * that finds one of them held is in a copied tab.
 */
export type Locks = { pages: string[]; releaseAt: number | null };

export type PageEvent =
  /** A tick, a moment that something was due at, or another tab's change of the records. */
  | { type: 'timePassed' }
  | { type: 'recordsRead'; records: Records }
  | { type: 'playPressed' | 'pausePressed' }
  /** `isFirstClick`: the browser counts this click of a mouse as a single one, however soon it follows. */
  | { type: 'createPressed'; isFirstClick: boolean }
  | { type: 'autoCreateTicked'; on: boolean }
  | { type: 'retryAsked' | 'pageLeft' }
  | { type: 'dashboardClosed' }
  | { type: 'tokenCreated'; number: number; created: CreatedToken }
  | { type: 'creationFailed'; number: number; failure: Failure }
  | { type: 'dashboardAnswered'; number: number; answer: DashboardQuery }
  | Extract<PlayerEvent, { type: 'connectionEvent' | 'answerLearned' }>
  /** Whether this page holds the lock of the page before it. */
  | { type: 'lockAnswered'; page: string; isHeld: boolean }
  /** A page of release 2.0 plays, or stopped. */
  | { type: 'olderPageChanged'; isWanted: boolean };
