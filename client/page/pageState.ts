import type { DashboardQuery } from '../generated/graphql.ts';
import type { CreatedToken } from './environment.ts';
import type { Failure, SessionEnd } from './failure.ts';
import type { Attempts } from './player/nextAttempt.ts';
import type { PlayerEvent } from './player/playerMachine.ts';
import type { PlayerState } from './player/playerState.ts';
import type { Account, Records, SigningOut, StoredToken } from './records.ts';
import type { TabRecords } from './tabRecords.ts';

/** Everything that the page knows. `update` alone changes it, but for `known` and `tabKnown` after a write (createPage.ts). */
export type PageState = Common & (SignedOut | SignedIn);

export type Common = {
  /** This page's own name among the tabs. */
  id: string;
  /** The records as this page last read or wrote them. */
  known: Records;
  tabKnown: TabRecords;
  /** Another one whenever another session may have begun: an answer to an earlier request says nothing about this one. */
  sessionNumber: number;
  signingOut: SigningOut | null;
  /** The ids of the accounts that ticked `Si se corta el audio, crear otro Token`. */
  ticked: string[];
  /** Why a query is being repeated; null once an operation succeeds. */
  trouble: ServerTrouble | null;
  /** The server no longer understands an operation of this page. */
  isOutdated: boolean;
  lastPress: { button: 'play' | 'create' | null; at: number };
};

export type SignedOut = {
  kind: 'signedOut';
  /** Why the last session ended; null after a sign-out in this tab. */
  end: SessionEnd | null;
  /** The end of the session ended sound too, at once or later. */
  cutSound: boolean;
  /** The account whose sound was wanted then, so that it is told once more after the next sign-in. */
  cutOf: string | null;
};

export type SignedIn = {
  kind: 'signedIn';
  account: Account;
  /** Why the session ended. The dashboard stays until the sound ends too. */
  ended: SessionEnd | null;
  /** False after a sign-in, until an answer shows that the browser sends the session's cookie. */
  isCookieConfirmed: boolean;
  /** When the partner signed in in this page, by the monotonic clock; null if the session began elsewhere. */
  beganAt: number | null;
  /** The session's id, from the header of the server's answers. Kept in memory only. */
  sessionId: string | null;
  dashboard: Dashboard;
};

export type ServerTrouble = 'serverUnreachable' | 'serverFails' | 'otherPage' | 'tooManyCookies' | 'tooLarge';

/** Times are of the monotonic clock, except expiries and those named `epochMs`. */
export type Dashboard = {
  /** The number of the session in which it opened. */
  number: number;
  /** The one token: shown, played, and on record while the session lasts. It outlives the session in memory. */
  token: StoredToken | null;
  /** A token on record is pending: it is believed from this time on although it and its expiry may not belong together. */
  pendingUntil: number | null;
  /** Replaced tokens that may still be valid, newest first, for other encoders. */
  earlier: StoredToken[];
  /** The address of the stream, which the token completes: as the server told it, now or before a reload; else null. */
  streamBase: string | null;
  /** The number of the question for the account and the stream's address; an answer with another number is late. */
  questionNumber: number | null;
  creation: Creation | null;
  /** The creations of automatic tokens, for which nobody pressed. */
  automatic: Attempts;
  /** How the last creation ended, while that is shown. */
  outcome: Outcome | null;
  /** Why the session before ended with its sound, until the partner presses a button. */
  cut: SessionEnd | null;
  /** The lock of the page whose sound was wanted in this tab, while this page waits to learn whether that one is still open. */
  awaitedLock: string | null;
  locks: Locks;
  player: PlayerState;
};

/** A creation under way. The partner waits for one that is not automatic; an answer with another number is late. */
export type Creation = { number: number; isAutomatic: boolean; startedAt: number };

export type Outcome = { endsAt: number } & (
  | { kind: 'failed'; failure: Failure }
  | { kind: 'made'; token: string; epochMs: number }
);

/**
 * The locks that this page holds or asked for, named by pages of this tab: its own, and that of the page before it. A page
 * that finds one of them held is in a copied tab.
 */
export type Locks = { pages: string[]; releaseAt: number | null };

/** `sessionNumber` is that of the state when the request was sent. */
export type SessionEvent =
  | { type: 'signedIn'; account: Account }
  | { type: 'signOutPressed' }
  /** `sent`: the sign-out that the server confirmed; a later one stays pending. */
  | { type: 'signOutConfirmed'; sent: SigningOut }
  /** The other tab may have signed out and in again before this page read the records. */
  | { type: 'otherTabSignedOut' | 'otherTabChangedAccount' }
  /** The page is back from the browser's back/forward cache, where it got no events. */
  | { type: 'pageRestored' }
  | { type: 'sessionConfirmed'; sessionNumber: number; sessionId: string | null }
  /** `hasNoCookie`: the request reached the server without the session's cookie. */
  | {
      type: 'sessionRefused';
      sessionNumber: number;
      code: 'UNAUTHENTICATED' | 'OTHER_ACCOUNT';
      hasNoCookie?: boolean;
    };

export type DashboardEvent =
  /** `at`: when the button was pressed, by the monotonic clock; a slow computer handles the press later. */
  | { type: 'playPressed' | 'pausePressed'; at?: number }
  /** `isFirstClick`: the browser counts this click of a mouse as a single one, however soon it follows. */
  | { type: 'createPressed'; isFirstClick: boolean; at?: number }
  | { type: 'retryAsked' | 'outputReturned' | 'pageLeft' }
  | { type: 'tokenCreated'; number: number; created: CreatedToken }
  | { type: 'creationFailed'; number: number; failure: Failure }
  /** `answer`: null after a failure that will not pass. */
  | { type: 'dashboardAnswered'; number: number; answer: DashboardQuery | null }
  | Extract<PlayerEvent, { type: 'connectionEvent' | 'answerLearned' }>
  /** Whether this page holds the lock of the page before it. */
  | { type: 'lockAnswered'; page: string; isGranted: boolean };

export type PageEvent =
  | SessionEvent
  | DashboardEvent
  /** A tick, a moment that something was due at, or another tab's change of the records. */
  | { type: 'timePassed' }
  | { type: 'recordsRead'; records: Records }
  | { type: 'autoCreateTicked'; on: boolean }
  | { type: 'troubleChanged'; trouble: ServerTrouble | null }
  | { type: 'pageOutdated' };

export function isTicked({ ticked }: PageState, { id }: Account): boolean {
  return ticked.includes(id);
}
