import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../shared/tokenLifetime.ts';
import type { StoredToken } from './records.ts';

/** An expiry is accepted if the clock was set back by at most this much since the token was created. */
const CLOCK_SET_BACK_ALLOWED_MS = MINUTE_MS;

export type TokenState =
  | { kind: 'none' }
  | ({ kind: 'active'; remainingMs: number } & StoredToken)
  | { kind: 'expired' };

/**
 * See the specification, section 3. No token lasts longer than 20 minutes. If more seem left, the clock was set back: up
 * to 21 minutes are shown as 20, more as no token.
 */
export function tokenState(stored: StoredToken | null, now: number): TokenState {
  if (!stored) return { kind: 'none' };
  const remainingMs = stored.expiresAt - now;
  if (remainingMs <= 0) return { kind: 'expired' };
  if (remainingMs > TOKEN_LIFETIME_MS + CLOCK_SET_BACK_ALLOWED_MS) return { kind: 'none' };
  return { kind: 'active', ...stored, remainingMs: Math.min(remainingMs, TOKEN_LIFETIME_MS) };
}

/** False for a token that expired more than 20 minutes ago: the clock may be wrong. */
export function shouldMarkExpired(stored: StoredToken, now: number): boolean {
  const overForMs = now - stored.expiresAt;
  return overForMs >= 0 && overForMs <= TOKEN_LIFETIME_MS;
}

export function expiryOfNewToken(now: number, lifetimeSeconds: number): number {
  return now + Math.min(lifetimeSeconds * SECOND_MS, TOKEN_LIFETIME_MS);
}
