import { backoffMs } from '../../api/backoff.ts';
import type { Refusal } from './connection/askStream.ts';

const LONGEST_WAIT_MS = 15_000;
/** Unreadable answers in a row. */
const LIKELY_REFUSALS_BELIEVED = 4;
/** After sound of this length a loss counts as a new one: reconnecting begins with the shortest wait again. */
const LASTING_SOUND_MS = 10_000;

/** Why a connection ended. `noOutput`: this computer could not play its sound. */
export type LossCause = Refusal | 'noOutput';

/** The attempts to connect since sound last lasted. */
export type Attempts = {
  failed: number;
  /** When the next one comes, by the monotonic clock; null for at once. */
  dueAt: number | null;
  /** The connection that did not open, while the page asks for the cause. */
  asking: { id: number; url: string } | null;
  likelyRefusals: number;
  isRefused: boolean;
  lastCause: LossCause;
};

export const NO_ATTEMPTS: Attempts = {
  failed: 0,
  dueAt: null,
  asking: null,
  likelyRefusals: 0,
  isRefused: false,
  lastCause: 'none',
};

/** @param soundSince - when the lost sound began, null if there was none */
export function afterFailure(
  before: Attempts,
  { cause, soundSince, nowMs }: { cause: LossCause; soundSince: number | null; nowMs: number },
): Attempts {
  const failed = (hasLasted(soundSince, nowMs) ? 0 : before.failed) + 1;
  const atOnce = soundSince !== null && failed === 1 && cause === 'none';
  const likelyRefusals = cause === 'likely' ? before.likelyRefusals + 1 : 0;
  return {
    failed,
    dueAt: nowMs + (atOnce ? 0 : backoffMs(failed, LONGEST_WAIT_MS)),
    asking: null,
    likelyRefusals,
    isRefused: cause === 'certain' || likelyRefusals === LIKELY_REFUSALS_BELIEVED,
    lastCause: cause,
  };
}

/** @returns 0 before the first attempt */
export function replacementWaitMs(failures: number): number {
  return failures === 0 ? 0 : backoffMs(failures, LONGEST_WAIT_MS);
}

/** @param sinceMs - when the sound began, as `nowMs` by the monotonic clock; null if there was none */
export function hasLasted(sinceMs: number | null, nowMs: number): boolean {
  return sinceMs !== null && nowMs - sinceMs >= LASTING_SOUND_MS;
}
