import type { Dashboard } from './pageState.ts';
import type { Moment } from './player/nextAttempt.ts';
import { type PlayerEvent, playerMachine } from './player/playerMachine.ts';
import type { PlayerInput } from './player/playerState.ts';

export function withPlayer(dashboard: Dashboard, event: PlayerEvent, now: Moment): Dashboard {
  const player = playerMachine(dashboard.player, event, playerInput(dashboard, now));
  return player === dashboard.player ? dashboard : { ...dashboard, player };
}

export function playerInput({ token, streamBase }: Dashboard, now: Moment): PlayerInput {
  return { ...now, token, streamBase };
}
