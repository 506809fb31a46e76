import type { StreamAnswer } from '../../../../client/dashboard/player/connection/askStream.ts';
import type { ConnectionReport } from '../../../../client/dashboard/player/connection/audioConnection.ts';
import type { PlayerEffect } from '../../../../client/dashboard/player/playerEffects.ts';
import {
  type Happening,
  nextDueAt,
  playerMachine,
} from '../../../../client/dashboard/player/playerMachine.ts';
import { PLAYER_AT_REST, type PlayerState } from '../../../../client/dashboard/player/playerState.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

export const BASE = 'https://audio.example/live?sign=';
const NINE_PM = Date.UTC(2026, 10, 21, 21);

/** The player's machine on a clock of its own, with a valid token and the stream's address. */
export function testPlayer({
  streamBase = BASE,
  chance = () => 0.5,
}: {
  streamBase?: string | null;
  chance?: () => number;
} = {}) {
  let state: PlayerState = PLAYER_AT_REST;
  let nowMs = 0;
  const effects: PlayerEffect[] = [];

  const made = (token: string) => ({ token, expiresAt: NINE_PM + nowMs + TOKEN_LIFETIME_MS });

  const player = {
    state: () => state,
    nowMs: () => nowMs,
    effects,
    effectsOf: (type: PlayerEffect['type']) => effects.filter((effect) => effect.type === type),
    /** The addresses of the connections that were opened in these ways. */
    opened: (...types: PlayerEffect['type'][]) =>
      effects.flatMap((effect) => (types.includes(effect.type) && 'url' in effect ? [effect.url] : [])),
    send(happening: Happening) {
      const at = { monotonicMs: nowMs, epochMs: NINE_PM + nowMs, chance: chance() };
      const transition = playerMachine(state, { ...happening, at });
      state = transition.state;
      effects.push(...transition.effects);
    },
    /** Presses the button; the press before was long ago. */
    play() {
      player.passes(1_000);
      player.send({ type: 'playPressed' });
    },
    pause() {
      player.passes(1_000);
      player.send({ type: 'pausePressed' });
    },
    reports: (report: ConnectionReport) =>
      player.send({ type: 'connectionReported', id: state.heard?.id ?? -1, report }),
    besideReports: (report: ConnectionReport) =>
      player.send({ type: 'connectionReported', id: state.beside?.open?.id ?? -1, report }),
    /** The heard connection does not open; asked for the cause, the provider gives this answer. */
    doesNotOpen(answer: StreamAnswer) {
      player.reports('unopened');
      player.send({ type: 'answerLearned', id: state.attempts.asking?.id ?? -1, answer });
    },
    learns: (token: string | null) =>
      player.send({ type: 'tokenLearned', token: token === null ? null : made(token) }),
    created: (token: string) => player.send({ type: 'creationSucceeded', token: made(token) }),
    creationFailed: (retryAfterSeconds = 0) => player.send({ type: 'creationFailed', retryAfterSeconds }),
    /** Lets time pass, waking the machine when something is due. */
    passes(ms: number) {
      const untilMs = nowMs + ms;
      for (let due = nextDueAt(state); due !== null && due <= untilMs; due = nextDueAt(state)) {
        if (due < nowMs) throw new Error(`Still due: ${JSON.stringify(state)}`);
        nowMs = due;
        player.send({ type: 'timePassed' });
        if (nextDueAt(state) === due) throw new Error(`Due again: ${JSON.stringify(state)}`);
      }
      nowMs = untilMs;
    },
  };
  if (streamBase !== null) player.send({ type: 'streamBaseLearned', streamBase });
  player.learns('first==');
  return player;
}

export type TestPlayer = ReturnType<typeof testPlayer>;
