/** Keys of `localStorage`, which all tabs share (specification, section 3). */
export const STORAGE_KEYS = {
  account: 'account',
  token: 'token',
  tokenExpire: 'token_expire',
  /** A checksum of token and expiry, so that a page believes the two together. */
  tokenSeal: 'token_seal',
  volume: 'volume',
  logoutPending: 'logout_pending',
  logoutSession: 'logout_session',
  autoCreate: 'create_token_on_loss',
  /** The id of the page that played last, and whether it still wants sound. */
  soundIn: 'sound_in',
} as const;

/** Keys of `sessionStorage`. It belongs to one tab, and survives a reload, a crash and the browser's discarding of the tab. */
export const TAB_STORAGE_KEYS = {
  soundWanted: 'sound_wanted',
  /** The id of the page that wrote it. In a copied tab that is the original's page, which is still open. */
  soundWantedBy: 'sound_wanted_by',
  earlierTokens: 'earlier_tokens',
  streamBase: 'stream_base',
} as const;

export const TOKEN_KEYS: string[] = [STORAGE_KEYS.token, STORAGE_KEYS.tokenExpire, STORAGE_KEYS.tokenSeal];

export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** `cache`: the page came back from the browser's back/forward cache; any value may have changed meanwhile. */
export type StorageChange = {
  by: 'thisPage' | 'otherTab' | 'cache';
  /** Null if all values may have changed. */
  key: string | null;
  newValue: string | null;
};

export type ObservedStorage = KeyValueStorage & {
  /** Calls `onChange` after each change, in the order of subscription. */
  subscribe(onChange: (change: StorageChange) => void): () => void;
};
