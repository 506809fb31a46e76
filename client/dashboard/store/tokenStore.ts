import {
  type Account,
  isSameToken,
  type LocalRecords,
  type StoredToken,
} from '../../session/localRecords.ts';
import type { Given } from '../machine/playerState.ts';
import { shouldMarkExpired, tokenState } from '../machine/tokenState.ts';
import { type Clock, NEVER } from './scheduler.ts';

const OTHER_HALF_FOLLOWS_MS = 1_000;
const NO_HALF_CHANGE = { read: null, endsAt: NEVER };

export type Tokens = {
  /** The one token: shown, played, and on record while the session lasts. It outlives the session in memory. */
  token: StoredToken | null;
  /** Replaced tokens that may still be valid, newest first, for other encoders. Kept in memory only. */
  earlier: StoredToken[];
  /** The address of the stream, which the token completes; null until the server told it. */
  streamBase: string | null;
};

export type TokenStore = ReturnType<typeof createTokenStore>;

type TokenStoreOptions = {
  account: Account;
  records: LocalRecords;
  clock: Clock;
  changed(): void;
  /** Called after a change that another tab or the clock made. */
  onChange(change: { hasNewToken: boolean }): void;
};

export function createTokenStore({ account, records, clock, changed, onChange }: TokenStoreOptions) {
  let state: Tokens = { token: records.token(), earlier: [], streamBase: null };
  /** A change of the token alone, or of its expiry alone, and when it is accepted. */
  let halfChange: { read: StoredToken | null; endsAt: number } = NO_HALF_CHANGE;

  function set(token: StoredToken | null): void {
    const { token: last, earlier } = state;
    const isReplaced = last !== null && token !== null && token.token !== last.token;
    halfChange = NO_HALF_CHANGE;
    state = { ...state, token, earlier: isReplaced ? [last, ...earlier].filter(isActive) : earlier };
    changed();
  }

  function accept(found: StoredToken | null): void {
    const { token } = state;
    // It was deleted when a session ended, or by the browser. It still opens connections, so it is stored again.
    if (found === null && token !== null) {
      halfChange = NO_HALF_CHANGE;
      store(token);
      return;
    }
    const hasNewToken = found !== null && found.token !== token?.token;
    set(found);
    onChange({ hasNewToken });
  }

  /** Never under another account than the one that the token was made for. */
  function store({ token, expiresAt }: StoredToken): void {
    if (records.isSameAccount(account)) records.keepToken(token, expiresAt);
  }

  /**
   * Reads the token that another tab may have written. A tab writes expiry and token one after the other, so a change of
   * one alone waits for the other.
   */
  function read(): void {
    if (!records.isSameAccount(account)) return;
    const found = records.token();
    if (isHalfOf(found, state.token, halfChange.read)) {
      if (!isSameToken(found, halfChange.read))
        halfChange = { read: found, endsAt: clock.monotonicMs() + OTHER_HALF_FOLLOWS_MS };
      changed();
    } else if (!isSameToken(found, state.token)) {
      accept(found);
    } else {
      halfChange = NO_HALF_CHANGE;
    }
  }

  function learnBase(streamBase: string | null): boolean {
    if (streamBase === null || streamBase === state.streamBase) return false;
    state = { ...state, streamBase };
    changed();
    return true;
  }

  function expire(expired: StoredToken): void {
    // Another tab has changed it, and the event has not arrived yet.
    if (records.isSameAccount(account) && !isSameToken(records.token(), expired)) {
      read();
      return;
    }
    const over = { ...expired, expiresAt: 0 };
    store(over);
    set(over);
    onChange({ hasNewToken: false });
  }

  function expiryDueAt({ token }: Tokens): number {
    if (token === null || halfChange !== NO_HALF_CHANGE) return NEVER;
    const now = clock.epochMs();
    if (token.expiresAt !== 0 && shouldMarkExpired(token, now)) return clock.monotonicMs();
    return isActive(token) ? clock.monotonicMs() + token.expiresAt - now : NEVER;
  }

  function isActive(token: StoredToken): boolean {
    return tokenState(token, clock.epochMs()).kind === 'active';
  }

  return {
    state: () => state,
    given: (): Given => ({
      epochMs: clock.epochMs(),
      monotonicMs: clock.monotonicMs(),
      chance: clock.chance(),
      token: state.token,
      streamBase: state.streamBase,
    }),
    read,
    learnBase,
    create(token: StoredToken): void {
      set(token);
      store(token);
    },
    dueAt: () => Math.min(halfChange.endsAt, expiryDueAt(state)),
    onTime(): void {
      const { token } = state;
      if (halfChange !== NO_HALF_CHANGE) accept(records.isSameAccount(account) ? records.token() : token);
      else if (token) expire(token);
    },
  };
}

function isHalfOf(found: StoredToken | null, known: StoredToken | null, half: StoredToken | null): boolean {
  if (found === null || known === null) return false;
  if ((found.token === known.token) !== (found.expiresAt === known.expiresAt)) return true;
  // The expiry is written first, so one that changes after the token belongs to the next token.
  return found.token !== known.token && found.token === half?.token && found.expiresAt !== half.expiresAt;
}
