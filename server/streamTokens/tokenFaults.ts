import { createHash } from 'node:crypto';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { CLOCK_TOLERANCE_MS } from '../database/clock.ts';

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

const SERVER_TIME = /^server_time=(\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d [AP]M)$/;

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

/**
 * Returns whether the provider hashed the requester's IP address into a token, which then opens the stream from there
 * only: the token's payload has no `id`, or has `checkip=true`. Returns false for a payload that cannot be read.
 */
export function isBoundToAddress(token: string): boolean {
  const fields = fieldsOf(token);
  const has = (name: string) => fields.some((field) => field.startsWith(`${name}=`));
  if (!['server_time', 'hash_value', 'validminutes'].every(has)) return false;
  return !has('id') || fields.includes('checkip=true');
}

export function validMinutesOf(token: string): number | null {
  const minutes = fieldsOf(token).flatMap((field) => /^validminutes=(\d{1,6})$/.exec(field)?.[1] ?? []);
  return minutes[0] === undefined ? null : Number(minutes[0]);
}

export function serverTimeOf(token: string): Date | null {
  const [time] = fieldsOf(token).flatMap((field) => SERVER_TIME.exec(field)?.[1] ?? []);
  const madeAt = new Date(`${time} UTC`);
  return time === undefined || Number.isNaN(madeAt.getTime()) ? null : madeAt;
}

function fieldsOf(token: string): string[] {
  const base64 = /^[A-Za-z0-9+/]*/.exec(token)?.[0] ?? '';
  return Buffer.from(base64, 'base64').toString('latin1').split('&');
}
