import type { ConnectionEvent } from '../../../../client/page/player/connectionEvents.ts';
import { NO_ATTEMPT, withoutLastCreation } from '../../../../client/page/player/nextAttempt.ts';
import type { PlayerEffect } from '../../../../client/page/player/playerEffects.ts';
import { nextDueAt, type PlayerEvent, playerMachine } from '../../../../client/page/player/playerMachine.ts';
import { type Given, PLAYER_AT_REST, type PlayerState } from '../../../../client/page/player/playerState.ts';
import { isMissing, soundOf } from '../../../../client/page/player/sound.ts';
import type { StreamAnswer } from '../../../../client/page/player/streamAnswer.ts';
import { afterPlayerEvent } from '../../../../client/page/unaskedToken.ts';
import type { StoredToken } from '../../../../client/session/localRecords.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

export const BASE = 'https://audio.example/live?sign=';
const NINE_PM = Date.UTC(2026, 10, 21, 21);
const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000 };

/**
 * The player's machine on a clock of its own, with a valid token and the stream's address. As the store does, it gives
 * the machine token and address, and asks for a token by itself where that is allowed.
 */
export function testPlayer({
  streamBase = BASE,
  chance = () => 0.5,
}: {
  streamBase?: string | null;
  chance?: () => number;
} = {}) {
  let state: PlayerState = PLAYER_AT_REST;
  let nowMs = 0;
  let token: StoredToken | null = null;
  let base = streamBase;
  let mayCreate = false;
  let creating: 'pressed' | 'automatic' | null = null;
  let unasked = NO_ATTEMPT;
  let creationsAsked = 0;
  const effects: PlayerEffect[] = [];

  const given = (): Given => ({
    monotonicMs: nowMs,
    epochMs: NINE_PM + nowMs,
    chance: chance(),
    token,
    streamBase: base,
  });
  const nextAt = () => Math.min(nextDueAt(state), unasked.dueAt ?? Number.POSITIVE_INFINITY);
  const made = (token: string) => ({ token, expiresAt: NINE_PM + nowMs + TOKEN_LIFETIME_MS });
  const answered = (answer: string) =>
    player.send({
      type: 'answerLearned',
      id: state.answers.asking?.id ?? -1,
      answer: answer as StreamAnswer,
    });

  /** The steps that `goes` knows; any other word is what the heard connection emits. */
  const STEPS: Record<string, (detail: string) => void> = {
    play: () => player.play(),
    plays() {
      player.play();
      player.emits({ type: 'playing' });
    },
    pause() {
      player.passes(1_000);
      player.send({ type: 'pausePressed' });
    },
    press: () => player.send({ type: 'pausePressed' }),
    token(name) {
      token = made(name);
      player.send({ type: 'addressChanged', hasNewToken: true, hasNewBase: false });
    },
    expires() {
      if (token) token = { ...token, expiresAt: 0 };
      player.send({ type: 'timePassed' });
    },
    creates() {
      creating = 'pressed';
      player.send({ type: 'creationPressed' });
    },
    created(name) {
      const wasPressed = creating === 'pressed';
      token = made(name);
      creating = null;
      player.send({ type: 'creationSucceeded', wasPressed, hasNewToken: true, hasNewBase: false });
    },
    notCreated(seconds) {
      unasked = { ...unasked, notBefore: Math.max(unasked.notBefore, nowMs + Number(seconds) * 1_000) };
      creating = null;
      player.send({ type: 'creationFailed' });
    },
    offline() {
      unasked = withoutLastCreation(unasked, given());
      creating = null;
      player.send({ type: 'creationFailed' });
    },
    auto() {
      mayCreate = true;
    },
    otherTab: () => player.send({ type: 'otherTabChanged', isWanted: true }),
    retry: () => player.send({ type: 'retryAsked' }),
    leaves: () => player.send({ type: 'pageLeft' }),
    reloaded: () => player.send({ type: 'pageReloaded' }),
    closed: () => player.send({ type: 'stopped' }),
    answers: answered,
    /** The heard connection does not open; asked for the cause, the provider gives this answer. */
    fails(answer) {
      player.emits({ type: 'unopened' });
      answered(answer);
    },
    stalls: (ms) => player.emits({ type: 'stalled', forMs: Number(ms), hasData: false }),
    stallsWithData: (ms) => player.emits({ type: 'stalled', forMs: Number(ms), hasData: true }),
    behind: (seconds) => player.emits({ type: 'behind', seconds: Number(seconds) }),
    replacement: (type) => player.replacementEmits({ type } as ConnectionEvent),
    replacementStalls: (ms) =>
      player.replacementEmits({ type: 'stalled', forMs: Number(ms), hasData: false }),
  };

  const player = {
    state: () => state,
    given,
    creating: () => creating,
    learns(streamBase: string) {
      base = streamBase;
      player.send({ type: 'addressChanged', hasNewToken: false, hasNewBase: true });
    },
    nowMs: () => nowMs,
    effects,
    effectsOf: (type: PlayerEffect['type']) => effects.filter((effect) => effect.type === type),
    /** The tokens of the addresses that were opened in this way. */
    tokensOf: (type: PlayerEffect['type']) =>
      effects.flatMap((effect) =>
        effect.type === type && 'url' in effect ? [effect.url.replace(BASE, '')] : [],
      ),
    send(event: PlayerEvent) {
      const playerBefore = state;
      const transition = playerMachine(state, event, given());
      state = transition.state;
      effects.push(...transition.effects);
      const { count } = unasked;
      unasked = afterPlayerEvent(
        unasked,
        mayCreate && creating === null,
        { playerBefore, player: state },
        given(),
      );
      if (unasked.count <= count) return;
      creating = 'automatic';
      creationsAsked += 1;
    },
    /** Takes steps such as `plays 20min lost created:second`. */
    goes(steps: string) {
      for (const step of steps.split(' ').filter(Boolean)) {
        const [, count, unit = ''] = /^(\d+)(ms|s|min)$/.exec(step) ?? [];
        const [name = '', detail = ''] = step.split(':');
        if (count !== undefined) player.passes(Number(count) * (UNITS_MS[unit] ?? 0));
        else if (Object.hasOwn(STEPS, name)) STEPS[name]?.(detail);
        else player.emits({ type: step } as ConnectionEvent);
      }
      return player;
    },
    /** The state after the steps, and how often each effect was asked for. */
    outcome() {
      const count = (type: PlayerEffect['type']) => player.effectsOf(type).length;
      const counts = {
        opened: count('open'),
        replacements: count('openReplacement'),
        closed: count('close'),
      };
      const sound = soundOf(state);
      return { ...state, ...counts, creationsAsked, isMissing: isMissing(sound) };
    },
    /** Presses the button; the press before was long ago. */
    play() {
      player.passes(1_000);
      player.send({ type: 'playPressed' });
    },
    emits: (event: ConnectionEvent) =>
      player.send({ type: 'connectionEvent', id: state.connection?.id ?? -1, event }),
    replacementEmits: (event: ConnectionEvent) =>
      player.send({ type: 'connectionEvent', id: state.replacement?.id ?? -1, event }),
    /** Lets time pass, waking the machine when something is due. */
    passes(ms: number) {
      const untilMs = nowMs + ms;
      for (let due = nextAt(); due <= untilMs; due = nextAt()) {
        if (due < nowMs) throw new Error(`Still due: ${JSON.stringify(state)}`);
        nowMs = due;
        player.send({ type: 'timePassed' });
        if (nextAt() === due) throw new Error(`Due again: ${JSON.stringify(state)}`);
      }
      nowMs = untilMs;
    },
  };
  player.goes('token:first');
  return player;
}
