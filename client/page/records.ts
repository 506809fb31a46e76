import { isSame } from './isSame.ts';
import { type KeyValueStorage, STORAGE_KEYS } from './storageKeys.ts';
import { parseSeal, sealOf, sealText } from './tokenSeal.ts';
import { differs, type Step, writeInOrder } from './writeInOrder.ts';

export type Account = { id: string; company: string };

/**
 * `expiresAt`: in epoch milliseconds by this browser's clock, 0 once it has passed. `tokenState` decides whether the
 * token is valid.
 */
export type StoredToken = { token: string; expiresAt: number };

/** `account` as the server takes it in a header; `session`: the session's id, if the page knew it. */
export type SigningOut = { account: string; session: string | null };

/** `fits`: token and expiry belong together; `differs`: another tab has written only a part yet, or another program wrote it. */
export type Seal = 'fits' | 'differs';

/** Shared with other tabs, and kept for a reload (specification, section 3). */
export type Records = {
  /** Null too while a sign-out is pending: another tab may have signed out, or was closed before it was done. */
  account: Account | null;
  /** A sign-out that the server has not confirmed yet. Like the session's cookie it is kept when the page closes. */
  signingOut: SigningOut | null;
  /** The account's token; null too if the one on record was made for another account. */
  token: StoredToken | null;
  seal: Seal;
  /** The token's checksum on record, if the seal differs. */
  foundChecksum?: string | undefined;
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

/** The writes of one change, in the order of the rows: other tabs read between two of them. */
const STEPS: Step<Records>[] = [
  // A tab that finds the account gone must find the reason too.
  { key: STORAGE_KEYS.logoutSession, when: signsOut, text: ({ signingOut }) => signingOut?.session ?? null },
  { key: STORAGE_KEYS.logoutPending, when: signsOut, text: ({ signingOut }) => signingOut?.account ?? null },
  // Before the token: a tab that is signed in would store the token again. An account that was left beside a pending
  // sign-out would be signed in once that is over.
  { key: STORAGE_KEYS.account, when: losesAccount, text: nothing },
  // One account's token must never be found under another.
  { key: STORAGE_KEYS.token, when: losesToken, text: nothing },
  { key: STORAGE_KEYS.tokenExpire, when: losesToken, text: nothing },
  // Another program must never find the new token with an expiry that has passed.
  {
    key: STORAGE_KEYS.tokenExpire,
    when: (known, wanted) => getsToken(known, wanted) && known.token?.expiresAt !== wanted.token?.expiresAt,
    text: ({ token }) => token && String(token.expiresAt),
  },
  // An equal token is not written: another tab may have written a newer one, of which this tab has not heard yet.
  {
    key: STORAGE_KEYS.token,
    when: (known, wanted) => getsToken(known, wanted) && known.token?.token !== wanted.token?.token,
    text: ({ token }) => token?.token ?? null,
  },
  // Both are believed once it fits them.
  { key: STORAGE_KEYS.tokenSeal, when: getsToken, text: sealOfToken },
  // While one is pending, the account counts as absent.
  { key: STORAGE_KEYS.logoutPending, when: endsSignOut, text: nothing },
  { key: STORAGE_KEYS.logoutSession, when: endsSignOut, text: nothing },
  // After the token, for the same reason as above.
  { key: STORAGE_KEYS.account, when: getsAccount, text: accountText },
  { key: STORAGE_KEYS.autoCreate, when: differs('ticked'), text: ({ ticked }) => JSON.stringify(ticked) },
  { key: STORAGE_KEYS.soundIn, when: differs('soundIn'), text: soundInText },
];

/** Writes what differs from what is known to be on record. */
export function writeRecords(storage: KeyValueStorage, known: Records, wanted: Records): void {
  writeInOrder(STEPS, storage, known, wanted);
}

function signsOut(known: Records, wanted: Records): boolean {
  return wanted.signingOut !== null && !isSame(known.signingOut, wanted.signingOut);
}

function endsSignOut(known: Records, wanted: Records): boolean {
  return wanted.signingOut === null && known.signingOut !== null;
}

function losesAccount(known: Records, wanted: Records): boolean {
  return (wanted.account === null && known.account !== null) || endsSignOut(known, wanted);
}

function getsAccount(known: Records, { account }: Records): boolean {
  return account !== null && !isSame(known.account, account);
}

function losesToken(known: Records, { token, account }: Records): boolean {
  return token === null && (known.token !== null || known.account?.id !== account?.id);
}

function getsToken(known: Records, { account, token, seal }: Records): boolean {
  return token !== null && account !== null && !isSame([known.token, known.seal], [token, seal]);
}

function nothing(): null {
  return null;
}

function sealOfToken({ account, token }: Records): string | null {
  return account && token && sealText(sealOf(token, account.id));
}

function accountText({ account }: Records): string {
  return JSON.stringify({ logged: true, id: account?.id, company: account?.company });
}

function readToken(
  getItem: KeyValueStorage['getItem'],
  account: Account | null,
): Pick<Records, 'token' | 'seal' | 'foundChecksum'> {
  const token = parseToken(getItem(STORAGE_KEYS.token), getItem(STORAGE_KEYS.tokenExpire));
  if (token === null || account === null) return { token, seal: 'fits' };
  const found = parseSeal(getItem(STORAGE_KEYS.tokenSeal));
  const fitting = sealOf(token, account.id);
  if (found?.token !== fitting.token) return { token, seal: 'differs', foundChecksum: found?.token };
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

function soundInText({ soundIn }: Records): string | null {
  return soundIn && soundIn.page + (soundIn.isWanted ? WANTED : '');
}

export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
