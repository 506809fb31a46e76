import type { Dashboard } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import { type PlayerEvent, playerMachine } from './player/playerMachine.ts';
import type { Given } from './player/playerState.ts';

export function withPlayer(dashboard: Dashboard, event: PlayerEvent, now: Moment): Dashboard {
  const player = playerMachine(dashboard.player, event, givenBy(dashboard, now));
  return player === dashboard.player ? dashboard : { ...dashboard, player };
}

export function givenBy({ token, streamBase }: Dashboard, { epochMs, monotonicMs, chance }: Moment): Given {
  return { epochMs, monotonicMs, chance, token, streamBase };
}
