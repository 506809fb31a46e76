import { TOKEN_LIFETIME_MS } from '../../../shared/tokenLifetime.ts';
import type { StoredToken } from '../../session/storage.ts';

const SECOND_MS = 1_000;

export type TokenState =
  | { kind: 'none' }
  | { kind: 'active'; token: string; remainingMs: number }
  | { kind: 'expired' };

/**
 * What the last token made is worth at the instant `now`, in epoch milliseconds (specification, section 4). More time
 * left than a token lives is not believed: the clock was set back.
 */
export function tokenState(stored: StoredToken | null, now: number): TokenState {
  if (!stored) return { kind: 'none' };
  const remainingMs = stored.expiresAt - now;
  if (remainingMs <= 0) return { kind: 'expired' };
  if (remainingMs > TOKEN_LIFETIME_MS) return { kind: 'none' };
  return { kind: 'active', token: stored.token, remainingMs };
}

/**
 * The instant at which the second began that a token has under way at `now`, both in epoch milliseconds; long before and
 * after its life the same one. A countdown looks at the token by these instants.
 */
export function secondUnderWay(stored: StoredToken | null, now: number): number {
  if (!stored) return 0;
  const remainingMs = stored.expiresAt - now;
  if (remainingMs <= 0) return stored.expiresAt;
  if (remainingMs > TOKEN_LIFETIME_MS) return 0;
  return stored.expiresAt - Math.ceil(remainingMs / SECOND_MS) * SECOND_MS;
}

/** `token_expire` of a token just received: this browser's `now` plus its lifetime, so that no other clock matters. */
export function expiryOfNewToken(now: number, lifetimeSeconds: number): number {
  return now + Math.min(lifetimeSeconds * 1_000, TOKEN_LIFETIME_MS);
}
