import type { Refusal } from '../../../../client/dashboard/player/connection/askStream.ts';
import type { ConnectionReport } from '../../../../client/dashboard/player/connection/audioConnection.ts';
import {
  type Happening,
  type PlayerEffect,
  playerMachine,
} from '../../../../client/dashboard/player/playerMachine.ts';
import {
  nextDueAt,
  PLAYER_AT_REST,
  type PlayerState,
} from '../../../../client/dashboard/player/playerState.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

export const BASE = 'https://audio.example/live?sign=';
const NINE_PM = Date.UTC(2026, 10, 21, 21);

/** The player's machine on a clock of its own, with a valid token and the stream's address. */
export function testPlayer({ streamBase = BASE as string | null } = {}) {
  let state: PlayerState = PLAYER_AT_REST;
  let nowMs = 0;
  const effects: PlayerEffect[] = [];

  const player = {
    state: () => state,
    nowMs: () => nowMs,
    effects,
    /** The addresses of the connections that were opened in these ways. */
    opened: (...types: PlayerEffect['type'][]) =>
      effects.flatMap((effect) => (types.includes(effect.type) && 'url' in effect ? [effect.url] : [])),
    send(happening: Happening) {
      const at = { monotonicMs: nowMs, epochMs: NINE_PM + nowMs };
      const transition = playerMachine(state, { ...happening, at });
      state = transition.state;
      effects.push(...transition.effects);
    },
    play: () => player.send({ type: 'playPressed' }),
    pause: () => player.send({ type: 'pausePressed' }),
    reports: (report: ConnectionReport) =>
      player.send({ type: 'connectionReported', id: state.heard?.id ?? -1, report }),
    besideReports: (report: ConnectionReport) =>
      player.send({ type: 'connectionReported', id: state.beside?.open?.id ?? -1, report }),
    /** The heard connection does not open, for this reason. */
    doesNotOpen(refusal: Refusal) {
      player.reports('unopened');
      player.send({ type: 'refusalLearned', id: state.attempts.asking?.id ?? -1, refusal });
    },
    learns: (token: string | null) =>
      player.send({
        type: 'tokenLearned',
        token: token === null ? null : { token, expiresAt: NINE_PM + nowMs + TOKEN_LIFETIME_MS },
      }),
    /** Lets time pass, waking the machine when something is due. */
    passes(ms: number) {
      const untilMs = nowMs + ms;
      for (let due = nextDueAt(state); due !== null && due <= untilMs; due = nextDueAt(state)) {
        nowMs = Math.max(nowMs, due);
        player.send({ type: 'timePassed' });
      }
      nowMs = untilMs;
    },
  };
  if (streamBase !== null) player.send({ type: 'streamBaseLearned', streamBase });
  player.learns('first==');
  return player;
}

export type TestPlayer = ReturnType<typeof testPlayer>;
