import { createHash } from 'node:crypto';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { CLOCK_TOLERANCE_MS } from '../database/clock.ts';
import { serverTimeOf } from './tokenPayload.ts';

/**
 * Signs that a token was made before this request, so that it expires sooner than partners are told. `age`: the page
 * has an `Age` header, so it comes from a cache; `server_time`: the token contains an earlier time; `repeated`: this
 * instance received the same token before.
 */
export const OLD_TOKEN_SIGNS = ['age', 'server_time', 'repeated'] as const;
export type OldTokenSign = (typeof OLD_TOKEN_SIGNS)[number];

const MAX_REMEMBERED = 10_000;
/** A token repeated within this time may be new: `server_time` counts whole seconds. */
const SAME_SECOND_MS = 2 * SECOND_MS;

export function createOldTokenSigns(clock: () => Date) {
  // Keeps hashes instead of tokens, the oldest first.
  const firstSeenMs = new Map<string, number>();

  function isRepeated(token: string, hasServerTime: boolean): boolean {
    const nowMs = performance.now();
    const hash = createHash('sha256').update(token).digest('base64');
    const firstMs = firstSeenMs.get(hash);
    if (firstMs !== undefined) return !hasServerTime || nowMs - firstMs > SAME_SECOND_MS;
    firstSeenMs.set(hash, nowMs);
    const [oldest] = firstSeenMs.keys();
    if (firstSeenMs.size > MAX_REMEMBERED && oldest !== undefined) firstSeenMs.delete(oldest);
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
