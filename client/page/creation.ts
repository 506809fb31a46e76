import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { baseOfStreamUrl } from '../../shared/streamUrl.ts';
import type { CreatedToken } from './environment.ts';
import type { Failure } from './failure.ts';
import type { Creation, Dashboard, Outcome } from './pageState.ts';
import {
  type Attempts,
  countedCreation,
  hasLasted,
  isDue,
  type Moment,
  NO_ATTEMPT,
  scheduled,
  unscheduled,
  withFreeCreation,
} from './player/nextAttempt.ts';
import { needsAnotherToken } from './player/playerMachine.ts';
import type { PlayerState } from './player/playerState.ts';
import { withNewToken } from './token.ts';
import { expiryOfNewToken } from './tokenState.ts';
import { playerInput, withPlayer } from './withPlayer.ts';

const FAILURE_SHOWN_FOR_MS = MINUTE_MS;
const PROVIDER_ASKED_AFTER_MS = 5 * SECOND_MS;
const FREE_CODES: Failure['code'][] = [
  'NO_NETWORK',
  'RATE_LIMITED',
  'BUSY',
  'DATABASE_UNAVAILABLE',
  'OTHER_PAGE',
];
const MADE_SHOWN_FOR_MS = 10 * SECOND_MS;

/** The player pauses the sound (specification, section 4). */
export function afterCreatePress(before: Dashboard, now: Moment): Dashboard {
  const { creation } = before;
  // The page may be creating one already, for lost sound: then the partner waits for that one.
  const dashboard: Dashboard = creation
    ? { ...before, creation: { ...creation, isAutomatic: false } }
    : withCreation(before, false, now);
  return withPlayer({ ...dashboard, outcome: null }, { type: 'creationPressed' }, now);
}

/**
 * Creates a token that nobody pressed for, for sound that only another token can bring back.
 * @param isAllowed - by the partner's tick, and while the session lasts
 * @param playerBefore - as it was before the event
 */
export function withAutomaticCreation(
  dashboard: Dashboard,
  isAllowed: boolean,
  playerBefore: PlayerState,
  now: Moment,
): Dashboard {
  const { creation, player } = dashboard;
  const input = playerInput(dashboard, now);
  const lasted = hasLasted(playerBefore.heard?.playingSince ?? null, now);
  const endsSeries = !player.wanted || (lasted && !needsAnotherToken(playerBefore, input));
  const automatic = endsSeries ? NO_ATTEMPT : dashboard.automatic;
  if (!isAllowed || creation !== null || !needsAnotherToken(player, input))
    return withAttempts(dashboard, unscheduled(automatic));
  const waiting = scheduled(automatic, now);
  if (!isDue(waiting, now)) return withAttempts(dashboard, waiting);
  return { ...withCreation(dashboard, true, now), automatic: countedCreation(waiting, now) };
}

export function afterCreated(
  before: Dashboard,
  { token, streamUrl, lifetimeSeconds }: CreatedToken,
  now: Moment,
): Dashboard {
  const wasPressed = before.creation?.isAutomatic === false;
  const outcome: Outcome = {
    kind: 'made',
    token,
    epochMs: now.epochMs,
    endsAt: now.monotonicMs + MADE_SHOWN_FOR_MS,
  };
  const streamBase = baseOfStreamUrl(streamUrl, token) ?? before.streamBase;
  const made = { token, expiresAt: expiryOfNewToken(now.epochMs, lifetimeSeconds) };
  return withPlayer(
    {
      ...withNewToken(before, made, now),
      creation: null,
      outcome,
      streamBase,
      // Its answer may hold an older address.
      questionNumber: null,
    },
    {
      type: 'creationSucceeded',
      wasPressed,
      hasNewToken: true,
      hasNewBase: streamBase !== before.streamBase,
    },
    now,
  );
}

export function afterFailedCreation(dashboard: Dashboard, failure: Failure, now: Moment): Dashboard {
  const { creation, outcome, automatic } = dashboard;
  const isAutomatic = creation?.isAutomatic === true;
  const waitMs = (failure.retryAfterSeconds ?? 0) * SECOND_MS;
  const failed: Outcome = {
    kind: 'failed',
    failure,
    endsAt: now.monotonicMs + FAILURE_SHOWN_FOR_MS + waitMs,
  };
  return withPlayer(
    {
      ...dashboard,
      creation: null,
      // A failed creation by the page itself does not replace the failure of the partner's own.
      outcome: isAutomatic && outcome?.kind === 'failed' ? outcome : failed,
      automatic:
        isAutomatic && isFree(failure, creation, now)
          ? withFreeCreation(automatic, waitMs, now)
          : { ...automatic, free: 0, notBefore: Math.max(automatic.notBefore, now.monotonicMs + waitMs) },
    },
    { type: 'creationFailed' },
    now,
  );
}

/** Whether the provider was not asked for the token. If no answer came for long, it may have been. */
function isFree({ code }: Failure, { startedAt }: Creation, { monotonicMs }: Moment): boolean {
  if (code === 'NO_ANSWER') return monotonicMs - startedAt < PROVIDER_ASKED_AFTER_MS;
  return FREE_CODES.includes(code);
}

export function withOutcomeOver(dashboard: Dashboard, { monotonicMs }: Moment): Dashboard {
  const { outcome } = dashboard;
  return outcome && monotonicMs >= outcome.endsAt ? { ...dashboard, outcome: null } : dashboard;
}

function withAttempts(dashboard: Dashboard, automatic: Attempts): Dashboard {
  return automatic === dashboard.automatic ? dashboard : { ...dashboard, automatic };
}

function withCreation(
  dashboard: Dashboard,
  isAutomatic: boolean,
  { monotonicMs, number }: Moment,
): Dashboard {
  return { ...dashboard, creation: { number, isAutomatic, startedAt: monotonicMs } };
}
