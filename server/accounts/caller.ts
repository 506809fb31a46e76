export type Caller = {
  /** Of the session or the key. */
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session. `lastUsed` is before this request, to the minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  /** The time to note in a browser's session when it is used now; null when a use was noted lately. */
  useToNote?: Date | null;
};

export const SESSION_ENDED = {
  reason: 'SESSION_ENDED',
  message: 'The session has ended: sign in again',
} as const;

export const KEY_REFUSED = {
  reason: 'KEY_REFUSED',
  message:
    'The key is not one for the API, has expired, was revoked or is bound to another network, or its account is disabled or has ended: ask the operator',
} as const;
