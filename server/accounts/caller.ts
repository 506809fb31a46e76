/** The valid session or key of an account that makes a request. */
export type Caller = {
  /** The id of the session or the key; an account may have many. */
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session. `lastUsed` is the last use before this request, recorded at most once a minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  /** Only for a session in a browser: what `markCookieSent` and `recordUse` (signIn/sessions.ts) are to record. */
  browserUse?: {
    isFirstWithCookie: boolean;
    /** Null while the recorded `lastUsedAt` is less than an hour old. */
    lastUsedAtToRecord: Date | null;
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
