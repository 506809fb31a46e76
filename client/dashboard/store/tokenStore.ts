import type { Given } from '../../page/player/playerState.ts';
import { shouldMarkExpired, tokenState } from '../../page/tokenState.ts';
import {
  type Account,
  isSameToken,
  type LocalRecords,
  type StoredToken,
  type TokenRecord,
} from '../../session/localRecords.ts';
import { type Clock, NEVER } from './scheduler.ts';

/** Only an older release of the page, or another program, leaves a record torn for longer. */
const TORN_ALLOWED_MS = 1_000;

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
  /** The record as this page last found it, believed or not. */
  let known = records.token(account.id);
  let state: Tokens = { token: null, earlier: [], streamBase: null };
  /** When a record whose token and expiry may not belong together is believed as it is. */
  let believedAt = NEVER;

  if (known.seal === 'torn') believedAt = clock.monotonicMs() + TORN_ALLOWED_MS;
  else if (known.seal !== 'othersToken') state = { ...state, token: known.token };

  function set(token: StoredToken | null): void {
    const { token: last, earlier } = state;
    const isReplaced = last !== null && token !== null && token.token !== last.token;
    state = { ...state, token, earlier: isReplaced ? [last, ...earlier].filter(isActive) : earlier };
    changed();
  }

  /** Never under another account than the one that the token was made for. */
  function store(token: StoredToken): void {
    if (!records.isSameAccount(account)) return;
    records.keepToken(token, account.id);
    known = records.token(account.id);
    believedAt = NEVER;
  }

  /** Reads the token that another tab may have written. It is believed once its seal is there too. */
  function read(): void {
    if (!records.isSameAccount(account)) return;
    const found = records.token(account.id);
    if (isSameToken(found.token, known.token) && found.seal === known.seal) return;
    known = found;
    if (found.seal === 'fits') take(found);
    else if (found.seal === 'othersToken') take({ token: null, seal: 'fits' });
    else {
      believedAt = clock.monotonicMs() + TORN_ALLOWED_MS;
      changed();
    }
  }

  function take({ token: found, seal }: TokenRecord): void {
    const { token } = state;
    believedAt = NEVER;
    // Only the seal is written: another tab may be about to write token and expiry anew.
    if (found && seal !== 'fits') records.sealToken(found, account.id);
    if (isSameToken(found, token)) return;
    // It was deleted when a session ended, or by the browser, or a late write of another account's page is in its place.
    // It still opens connections, so it is stored again.
    if (found === null) {
      if (token) store(token);
      return;
    }
    const hasNewToken = found.token !== token?.token;
    // A tab that had not heard of this token yet marked the one before as expired.
    if (!hasNewToken && seal === 'torn' && found.expiresAt === 0 && token && isActive(token)) {
      store(token);
      return;
    }
    // Where the browser refused to store this page's newer token, another tab may still watch over the one before.
    if (hasNewToken && token && isActive(token) && !isActive(found)) return;
    set(found);
    onChange({ hasNewToken });
  }

  function believeTorn(): void {
    believedAt = NEVER;
    // Another tab may have written again meanwhile.
    read();
    if (believedAt === NEVER && records.isSameAccount(account)) take(known);
  }

  function learnBase(streamBase: string | null): boolean {
    if (streamBase === null || streamBase === state.streamBase) return false;
    state = { ...state, streamBase };
    changed();
    return true;
  }

  function expire(expired: StoredToken): void {
    // Another tab may have changed it, and the event has not arrived yet.
    read();
    if (believedAt !== NEVER || !isSameToken(state.token, expired)) return;
    const over = { ...expired, expiresAt: 0 };
    set(over);
    if (isSameToken(known.token, expired) && records.isSameAccount(account)) {
      records.markTokenExpired(expired, account.id);
      known = records.token(account.id);
    }
    onChange({ hasNewToken: false });
  }

  function expiryDueAt({ token }: Tokens): number {
    if (token === null || token.expiresAt === 0 || believedAt !== NEVER) return NEVER;
    const now = clock.epochMs();
    if (shouldMarkExpired(token, now)) return clock.monotonicMs();
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
    dueAt: () => Math.min(believedAt, expiryDueAt(state)),
    onTime(): void {
      if (believedAt !== NEVER) believeTorn();
      else if (state.token) expire(state.token);
    },
  };
}
