import {
  type Attempts,
  countedCreation,
  hasLasted,
  isDue,
  NO_ATTEMPT,
  scheduled,
  unscheduled,
} from './player/nextAttempt.ts';
import { needsToken } from './player/playerMachine.ts';
import type { Given, PlayerState } from './player/playerState.ts';

/**
 * Attempts to create a token that nobody pressed for, after an event of the player. One begins now if the returned
 * `count` is higher.
 * @param mayCreate - the partner allowed it, and no creation is under way
 */
export function afterPlayerEvent(
  before: Attempts,
  mayCreate: boolean,
  { playerBefore, player }: { playerBefore: PlayerState; player: PlayerState },
  now: Given,
): Attempts {
  const lasted = hasLasted(playerBefore.connection?.playingSince ?? null, now);
  const endsSeries = !player.wanted || (lasted && !needsToken(playerBefore, now));
  const attempts = endsSeries ? NO_ATTEMPT : before;
  if (!mayCreate || !needsToken(player, now)) return unscheduled(attempts);
  const waiting = scheduled(attempts, now);
  return isDue(waiting, now) ? countedCreation(waiting, now) : waiting;
}
