import { effectsBetween, type PageEffect } from '../../../../client/page/effects.ts';
import type { Failure } from '../../../../client/page/failure.ts';
import type { PageEvent, PageState, SignedIn } from '../../../../client/page/pageState.ts';
import type { ConnectionEvent } from '../../../../client/page/player/connectionEvents.ts';
import type { PlayerInput } from '../../../../client/page/player/playerState.ts';
import { isMissing, soundOf } from '../../../../client/page/player/sound.ts';
import type { StreamAnswer } from '../../../../client/page/player/streamAnswer.ts';
import type { Records } from '../../../../client/page/records.ts';
import { recordsToWrite, tabRecordsToWrite } from '../../../../client/page/recordsToWrite.ts';
import { openPage } from '../../../../client/page/session.ts';
import { type ShownSignedIn, shownOf } from '../../../../client/page/shown.ts';
import { NO_TAB_RECORDS } from '../../../../client/page/tabRecords.ts';
import { withQuestion } from '../../../../client/page/token.ts';
import { dueAt, update } from '../../../../client/page/update.ts';
import { SECOND_MS } from '../../../../shared/durations.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';

export const BASE = 'https://audio.example/live?sign=';
const ACCOUNT = { id: 'a1', company: 'Radio Demo' };
const NINE_PM = Date.UTC(2026, 10, 21, 21);
const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000 };

/** A signed-in page on a clock of its own, with a valid token and the stream's address. */
export function testPlayer({
  streamBase = BASE,
  random = () => 0.5,
}: {
  streamBase?: string | null;
  random?: () => number;
} = {}) {
  let nowMs = 0;
  /** Connections are named by `nth`. */
  const effects: PageEffect[] = [];
  let number = 1;
  const now = () => ({ monotonicMs: nowMs, epochMs: NINE_PM + nowMs, random: random(), number });
  const made = (token: string) => ({ token, expiresAt: NINE_PM + nowMs + TOKEN_LIFETIME_MS });
  const records: Records = {
    account: ACCOUNT,
    signingOut: null,
    token: made('first'),
    seal: 'fits',
    ticked: [],
    soundIn: null,
  };
  let state = signedIn(openPage('this page', records, NO_TAB_RECORDS, now()));

  const openedIds: number[] = [];
  /** 1 for the first connection that was opened, 2 for the second one. */
  const nth = (id: number) => openedIds.indexOf(id) + 1;
  const named = <Connection extends { id: number }>(connection: Connection | null) =>
    connection && { ...connection, id: nth(connection.id) };

  const playerState = () => state.dashboard.player;
  const reads = (changed: Partial<Records>) =>
    player.send({ type: 'recordsRead', records: { ...state.known, ...changed } });
  const answered = (answer: string) =>
    player.send({
      type: 'answerLearned',
      id: playerState().answers.asking?.id ?? -1,
      answer: answer as StreamAnswer,
    });
  const creation = () => state.dashboard.creation?.number ?? -1;

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
    token: (name) => reads({ token: made(name) }),
    expires() {
      const { token } = state.dashboard;
      if (token) reads({ token: { ...token, expiresAt: 0 } });
    },
    creates: () => player.send({ type: 'createPressed', isFirstClick: true }),
    created(token) {
      const created = {
        token,
        streamUrl: `${state.dashboard.streamBase}${token}`,
        company: ACCOUNT.company,
        lifetimeSeconds: TOKEN_LIFETIME_MS / SECOND_MS,
      };
      player.send({ type: 'tokenCreated', number: creation(), created });
    },
    notCreated: (code) => player.failsToCreate({ code: (code || 'PROVIDER_UNAVAILABLE') as Failure['code'] }),
    limited: (seconds) => player.failsToCreate({ code: 'RATE_LIMITED', retryAfterSeconds: Number(seconds) }),
    auto: () => player.send({ type: 'autoCreateTicked', on: true }),
    otherTab: () => reads({ soundIn: { page: 'other page', isWanted: true } }),
    retry: () => player.send({ type: 'retryAsked' }),
    output: () => player.send({ type: 'outputReturned' }),
    leaves: () => player.send({ type: 'pageLeft' }),
    reloaded() {
      const tabKnown = { ...NO_TAB_RECORDS, soundWanted: { account: ACCOUNT.id, page: null } };
      const { streamBase } = state.dashboard;
      state = signedIn(openPage('this page', state.known, tabKnown, now()));
      if (streamBase !== null) player.learns(streamBase);
    },
    answers: answered,
    /** The connection does not open; asked for the cause, the provider gives this answer. */
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
    page: () => state,
    state: playerState,
    given: (): PlayerInput => ({ ...now(), ...state.dashboard }),
    failsToCreate: (failure: Failure) => player.send({ type: 'creationFailed', number: creation(), failure }),
    learns(baseUrl: string) {
      state = { ...state, dashboard: withQuestion(state.dashboard, now()) };
      const number = state.dashboard.questionNumber ?? -1;
      player.send({ type: 'dashboardAnswered', number, answer: { session: ACCOUNT, stream: { baseUrl } } });
    },
    nowMs: () => nowMs,
    effects,
    effectsOf: (type: PageEffect['type']) => effects.filter((effect) => effect.type === type),
    /** The tokens of the addresses that were opened in this way. */
    tokensOf: (type: PageEffect['type']) =>
      effects.flatMap((effect) =>
        effect.type === type && 'url' in effect ? [effect.url.replace(BASE, '')] : [],
      ),
    send(event: PageEvent) {
      const before = state;
      number += 1;
      state = signedIn(update(before, event, now()));
      state = { ...state, known: recordsToWrite(state), tabKnown: tabRecordsToWrite(state) };
      for (const effect of effectsBetween(before, state)) {
        if (effect.type === 'open') openedIds.push(effect.id);
        effects.push('id' in effect ? { ...effect, id: nth(effect.id) } : effect);
      }
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
      const count = (type: PageEffect['type']) => player.effectsOf(type).length;
      const replacements = effects.filter((effect) => effect.type === 'open' && effect.isBeside).length;
      const counts = {
        opened: count('open') - replacements,
        replacements,
        closed: count('close'),
        creationsAsked: count('createToken'),
      };
      const { heard, opening } = playerState();
      const connections = { heard: named(heard), opening: named(opening) };
      return { ...playerState(), ...connections, ...counts, isMissing: isMissing(soundOf(playerState())) };
    },
    /** Presses the button; the press before was long ago. */
    play() {
      player.passes(1_000);
      player.send({ type: 'playPressed' });
    },
    emits: (event: ConnectionEvent) =>
      player.send({
        type: 'connectionEvent',
        id: (playerState().heard ?? playerState().opening)?.id ?? -1,
        event,
      }),
    replacementEmits: (event: ConnectionEvent) =>
      player.send({ type: 'connectionEvent', id: playerState().opening?.id ?? -1, event }),
    /** Lets time pass, waking the page when something is due. */
    passes(ms: number) {
      const untilMs = nowMs + ms;
      for (let due = dueAt(state, now()); due <= untilMs; due = dueAt(state, now())) {
        if (due < nowMs) throw new Error(`Still due: ${JSON.stringify(state)}`);
        nowMs = due;
        player.send({ type: 'timePassed' });
        if (dueAt(state, now()) === due) throw new Error(`Due again: ${JSON.stringify(state)}`);
      }
      nowMs = untilMs;
    },
  };
  if (streamBase !== null) player.learns(streamBase);
  return player;
}

export function shownDashboard(state: PageState): ShownSignedIn {
  const shown = shownOf(state);
  if (shown.kind !== 'signedIn') throw new Error('The page is signed out');
  return shown;
}

function signedIn(state: PageState): PageState & SignedIn {
  if (state.kind !== 'signedIn') throw new Error('The page is signed out');
  return state;
}
