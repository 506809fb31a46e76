export type Caller = {
  /** The id of the session or the key; an account may have many. */
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session. `lastUsed` leaves this request out, and is stored at most once a minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  /** Only for a session in a browser: what `noteCookie` and `noteUse` (signIn/sessions.ts) write into its row. */
  browserUse?: {
    /** True until a request with the session's cookie has been stored. */
    isFirstWithCookie: boolean;
    /** Null while the stored `lastUsedAt` is recent enough. */
    newLastUsedAt: Date | null;
  };
};

export const SESSION_ENDED = {
  reason: 'SESSION_ENDED',
  message: 'The session has ended: sign in again',
} as const;

export const KEY_REFUSED = {
  reason: 'KEY_REFUSED',
  message:
    'The key is unknown, has expired, was revoked or is bound to another network, or its account is disabled or has ended: ask the operator',
} as const;
