const MINUTE_MS = 60_000;

/** For how long a new token opens connections, in milliseconds (specification, section 9). */
export const TOKEN_LIFETIME_MS = 20 * MINUTE_MS;
