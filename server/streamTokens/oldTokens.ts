import { createHash } from 'node:crypto';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { CLOCK_TOLERANCE_MS } from '../database/clock.ts';
import { serverTimeOf } from './tokenPayload.ts';

/**
 * What tells that a token was not made for this request, so that it ends sooner than partners are told: the page's
 * `Age`, the token's own `server_time`, or that this instance was given it before.
 */
export const OLD_TOKEN_SIGNS = ['age', 'server_time', 'repeated'] as const;
export type OldTokenSign = (typeof OLD_TOKEN_SIGNS)[number];

const MOST_KNOWN = 10_000;
/** A `server_time` has whole seconds, so tokens of one second may be equal though each was made anew. */
const SAME_SECOND_MS = 2 * SECOND_MS;

/** Returns the signs that a token is old, each with what to tell the operator. */
export function createOldTokenSigns(clock: () => Date) {
  // By when each was first given, the oldest first. Hashes, so that no token is kept.
  const firstGivenMs = new Map<string, number>();

  function isRepeated(token: string, isDated: boolean): boolean {
    const nowMs = performance.now();
    const hash = createHash('sha256').update(token).digest('base64');
    const firstMs = firstGivenMs.get(hash);
    if (firstMs !== undefined) return !isDated || nowMs - firstMs > SAME_SECOND_MS;
    firstGivenMs.set(hash, nowMs);
    const [oldest] = firstGivenMs.keys();
    if (firstGivenMs.size > MOST_KNOWN && oldest !== undefined) firstGivenMs.delete(oldest);
    return false;
  }

  return (token: string, ageSeconds: number): Map<OldTokenSign, string> => {
    const signs = new Map<OldTokenSign, string>();
    const madeAt = serverTimeOf(token);
    const ageMs = madeAt === null ? 0 : clock().getTime() - madeAt.getTime();
    if (ageSeconds > 0) signs.set('age', `the page came from a cache (Age: ${ageSeconds})`);
    if (ageMs > CLOCK_TOLERANCE_MS) {
      const minutes = Math.round(ageMs / MINUTE_MS);
      signs.set(
        'server_time',
        `the token was made ${minutes} minute${minutes === 1 ? '' : 's'} ago by its server_time, or a clock is wrong`,
      );
    }
    if (isRepeated(token, madeAt !== null)) signs.set('repeated', 'it gave a token that it had given before');
    return signs;
  };
}
