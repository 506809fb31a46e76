export type Caller = {
  /** Of the session or the key. */
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session. `lastUsed` is before this request, to the minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  /** What is to be noted in the row of a browser's session; missing for a tool's and for a key. */
  toNote?: {
    /** Whether this is the first request with the cookie since the sign-in. */
    isFirstByCookie: boolean;
    /** The time to note when the session is used now; null when a use was noted lately. */
    use: Date | null;
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
