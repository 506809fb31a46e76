import { MINUTE_MS } from './durations.ts';

/** The time in which a new token opens connections (specification, section 9). */
export const TOKEN_LIFETIME_MINUTES = 20;

export const TOKEN_LIFETIME_MS = TOKEN_LIFETIME_MINUTES * MINUTE_MS;
