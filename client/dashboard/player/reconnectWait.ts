import { backoffMs } from '../../api/backoff.ts';
import type { LossCause } from './playerState.ts';

const LONGEST_WAIT_MS = 15_000;
/** After sound of this length a loss counts as a new one: reconnecting begins with the shortest wait again. */
const LASTING_SOUND_MS = 10_000;

/** @returns 0 to connect at once */
export function reconnectWaitMs(
  attempt: number,
  { sounded, cause }: { sounded: boolean; cause: LossCause },
): number {
  const atOnce = sounded && attempt === 1 && cause === 'none';
  return atOnce ? 0 : backoffMs(attempt, LONGEST_WAIT_MS);
}

export function replacementWaitMs(failures: number): number {
  return backoffMs(failures, LONGEST_WAIT_MS);
}

/** @param sinceMs - when the sound began, as `nowMs` by the monotonic clock; null if there was none */
export function hasLasted(sinceMs: number | null, nowMs: number): boolean {
  return sinceMs !== null && nowMs - sinceMs >= LASTING_SOUND_MS;
}
