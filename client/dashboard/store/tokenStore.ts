import { isSameToken, type LocalRecords, type StoredToken } from '../../session/localRecords.ts';
import { shouldMarkExpired, tokenState } from '../machine/tokenState.ts';
import { type Clock, NEVER } from './scheduler.ts';

const OTHER_HALF_FOLLOWS_MS = 1_000;
const NO_HALF_CHANGE = { read: null, endsAt: NEVER };

export type Tokens = {
  /** The token in the browser's storage, deleted at the session's end; the player's stays. */
  stored: StoredToken | null;
  /** Replaced tokens that may still be valid, newest first, for other encoders. Kept in memory only. */
  earlier: StoredToken[];
};

export type TokenStore = ReturnType<typeof createTokenStore>;

type TokenStoreOptions = {
  records: LocalRecords;
  clock: Clock;
  changed(): void;
  /** Called after a change that another tab or the clock made. */
  onChange(stored: StoredToken | null, isNew: boolean): void;
};

export function createTokenStore({ records, clock, changed, onChange }: TokenStoreOptions) {
  let state: Tokens = { stored: records.token(), earlier: [] };
  /** A change of the token alone, or of its expiry alone, and when it is accepted. */
  let halfChange: { read: StoredToken | null; endsAt: number } = NO_HALF_CHANGE;

  function set(stored: StoredToken | null): void {
    const { stored: last, earlier } = state;
    const isReplaced = last !== null && stored !== null && stored.token !== last.token;
    halfChange = NO_HALF_CHANGE;
    state = {
      stored,
      earlier: isReplaced ? [last, ...earlier].filter(isActive) : earlier,
    };
    changed();
  }

  function accept(stored: StoredToken | null): void {
    const isNew = stored !== null && stored.token !== state.stored?.token;
    set(stored);
    onChange(stored, isNew);
  }

  /**
   * Reads the token that another tab may have written. A tab writes expiry and token one after the other, so a change of
   * one alone waits for the other.
   * @param isSignedInAgain - after the session's end the same account signed in: an unchanged token counts as new too
   */
  function read(isSignedInAgain: boolean): void {
    const found = records.token();
    if (isHalfOf(found, state.stored, halfChange.read)) {
      if (!isSameToken(found, halfChange.read))
        halfChange = { read: found, endsAt: clock.monotonicMs() + OTHER_HALF_FOLLOWS_MS };
      changed();
    } else if (isSignedInAgain || !isSameToken(found, state.stored)) {
      accept(found);
    } else {
      halfChange = NO_HALF_CHANGE;
    }
  }

  function keep(token: StoredToken): void {
    records.keepToken(token.token, token.expiresAt);
    set(token);
  }

  function expire(stored: StoredToken): void {
    // Another tab has changed it, and the event has not arrived yet.
    if (!isSameToken(records.token(), stored)) {
      read(false);
      return;
    }
    records.markTokenExpired(stored);
    accept({ ...stored, expiresAt: 0 });
  }

  function expiryDueAt({ stored }: Tokens): number {
    if (stored === null || halfChange !== NO_HALF_CHANGE) return NEVER;
    const now = clock.epochMs();
    if (shouldMarkExpired(stored, now)) return clock.monotonicMs();
    return isActive(stored) ? clock.monotonicMs() + stored.expiresAt - now : NEVER;
  }

  function isActive(token: StoredToken): boolean {
    return tokenState(token, clock.epochMs()).kind === 'active';
  }

  return {
    state: () => state,
    read,
    keep,
    /** Call it after the session's end has deleted the stored token. */
    forget: () => set(null),
    dueAt: () => Math.min(halfChange.endsAt, expiryDueAt(state)),
    onTime(): void {
      if (halfChange !== NO_HALF_CHANGE) accept(records.token());
      else if (state.stored) expire(state.stored);
    },
  };
}

function isHalfOf(found: StoredToken | null, stored: StoredToken | null, half: StoredToken | null): boolean {
  if (found === null || stored === null) return false;
  if ((found.token === stored.token) !== (found.expiresAt === stored.expiresAt)) return true;
  // The expiry is written first, so one that changes after the token belongs to the next token.
  return found.token !== stored.token && found.token === half?.token && found.expiresAt !== half.expiresAt;
}
