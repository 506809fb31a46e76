import { isSame } from './isSame.ts';
import { type KeyValueStorage, STORAGE_KEYS } from './pageStorage.ts';
import { parseSeal, sealOf, sealText } from './tokenSeal.ts';

export type Account = { id: string; company: string };

/**
 * `expiresAt`: in epoch milliseconds by this browser's clock, 0 once it has passed. `tokenState` decides whether the
 * token is valid.
 */
export type StoredToken = { token: string; expiresAt: number };

/** `account` as the server takes it in a header; `session`: the session's id, if the page knew it. */
export type SigningOut = { account: string; session: string | null };

/** `fits`: token and expiry belong together; `torn`: another tab has written only a part yet, or another program wrote it. */
export type Seal = 'fits' | 'torn';

/** Shared with other tabs, and kept for a reload (specification, section 3). */
export type Records = {
  /** Null too while a sign-out is pending: another tab may have signed out, or was closed before it was done. */
  account: Account | null;
  /** A sign-out that the server has not confirmed yet. Like the session's cookie it is kept when the page closes. */
  signingOut: SigningOut | null;
  /** The account's token; null too if the one on record was made for another account. */
  token: StoredToken | null;
  seal: Seal;
  /** The token's checksum on record, if the seal is torn. */
  tornChecksum?: string | undefined;
  /** The ids of the accounts that ticked `Si se corta el audio, crear otro Token`. */
  ticked: string[];
  /** The page that played last of all tabs, and whether sound is still wanted there. */
  soundIn: { page: string; isWanted: boolean } | null;
};

const WANTED = ' wanted';

export function readRecords({ getItem }: Pick<KeyValueStorage, 'getItem'>): Records {
  const pending = getItem(STORAGE_KEYS.logoutPending);
  const account = pending === null ? parseAccount(getItem(STORAGE_KEYS.account)) : null;
  return {
    account,
    signingOut: pending === null ? null : { account: pending, session: getItem(STORAGE_KEYS.logoutSession) },
    ...readToken(getItem, account),
    ticked: parseTicked(getItem(STORAGE_KEYS.autoCreate)),
    soundIn: parseSoundIn(getItem(STORAGE_KEYS.soundIn)),
  };
}

/** Writes what differs from what is known to be on record. */
export function writeRecords(storage: KeyValueStorage, known: Records, wanted: Records): void {
  const set = (key: string, value: string | null) => {
    if (storage.getItem(key) === value) return;
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, value);
  };
  const { account, token, signingOut } = wanted;
  const isAccountChanged = !isSame(known.account, account);
  const isSigningOutChanged = !isSame(known.signingOut, signingOut);
  // First: a tab that finds the account gone must find the reason too.
  if (isSigningOutChanged && signingOut !== null) {
    set(STORAGE_KEYS.logoutSession, signingOut.session);
    set(STORAGE_KEYS.logoutPending, signingOut.account);
  }
  // Before the token: a tab that is signed in would store the token again. An account that was left beside a pending
  // sign-out would be signed in once that is over.
  if ((isAccountChanged && account === null) || (isSigningOutChanged && signingOut === null))
    set(STORAGE_KEYS.account, null);
  if (token === null && (known.token !== null || known.account?.id !== account?.id)) {
    set(STORAGE_KEYS.token, null);
    set(STORAGE_KEYS.tokenExpire, null);
  }
  if (token !== null && account !== null && !isSame([known.token, known.seal], [token, wanted.seal])) {
    // The expiry first: another program must never find the new token with an expiry that has passed.
    if (known.token?.expiresAt !== token.expiresAt) set(STORAGE_KEYS.tokenExpire, String(token.expiresAt));
    // An equal token is not written: another tab may have written a newer one, of which this tab has not heard yet.
    if (known.token?.token !== token.token) set(STORAGE_KEYS.token, token.token);
    set(STORAGE_KEYS.tokenSeal, sealText(sealOf(token, account.id)));
  }
  if (isSigningOutChanged && signingOut === null) {
    set(STORAGE_KEYS.logoutPending, null);
    set(STORAGE_KEYS.logoutSession, null);
  }
  // After the token: one account's token must never be found under another.
  if (isAccountChanged && account !== null)
    set(STORAGE_KEYS.account, JSON.stringify({ logged: true, id: account.id, company: account.company }));
  if (!isSame(known.ticked, wanted.ticked)) set(STORAGE_KEYS.autoCreate, JSON.stringify(wanted.ticked));
  if (!isSame(known.soundIn, wanted.soundIn)) set(STORAGE_KEYS.soundIn, soundInText(wanted.soundIn));
}

function readToken(
  getItem: KeyValueStorage['getItem'],
  account: Account | null,
): Pick<Records, 'token' | 'seal' | 'tornChecksum'> {
  const token = parseToken(getItem(STORAGE_KEYS.token), getItem(STORAGE_KEYS.tokenExpire));
  if (token === null || account === null) return { token, seal: 'fits' };
  const found = parseSeal(getItem(STORAGE_KEYS.tokenSeal));
  const fitting = sealOf(token, account.id);
  if (found?.token !== fitting.token) return { token, seal: 'torn', tornChecksum: found?.token };
  return { token: found.account === fitting.account ? token : null, seal: 'fits' };
}

function parseAccount(text: string | null): Account | null {
  const record = parseJson(text);
  if (typeof record !== 'object' || record === null) return null;
  if (!('logged' in record && 'id' in record && 'company' in record)) return null;
  const { logged, id, company } = record;
  if (logged !== true || typeof id !== 'string' || typeof company !== 'string') return null;
  return { id, company };
}

function parseToken(text: string | null, expireText: string | null): StoredToken | null {
  const expiresAt = parseEpochMs(expireText);
  if (!text?.trim() || /\p{Cc}/u.test(text) || expiresAt === null) return null;
  return { token: text, expiresAt };
}

function parseEpochMs(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function parseTicked(text: string | null): string[] {
  const ticked = parseJson(text);
  return Array.isArray(ticked) ? ticked.filter((id) => typeof id === 'string') : [];
}

function parseSoundIn(text: string | null): Records['soundIn'] {
  return text === null ? null : { page: text.replace(WANTED, ''), isWanted: text.endsWith(WANTED) };
}

function soundInText(soundIn: Records['soundIn']): string | null {
  return soundIn && soundIn.page + (soundIn.isWanted ? WANTED : '');
}

export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
