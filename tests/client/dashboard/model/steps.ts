import fc from 'fast-check';
import type { AudioEffect } from '../../../../client/dashboard/machine/playerEffects.ts';
import { tokenState } from '../../../../client/dashboard/machine/tokenState.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../shared/durations.ts';
import { viewOf, watch } from './invariants.ts';
import { type MadeUpBrowser, madeUpBrowser, type ServerMode, type StreamMode } from './madeUpBrowser.ts';

type Real = { browser: MadeUpBrowser; watched: ReturnType<typeof watch> };
type Model = Record<string, never>;

export type Step = fc.AsyncCommand<Model, Real>;

const STREAM_MODES: StreamMode[] = [
  'plays',
  'plays',
  'plays',
  'hangs',
  'failsOnce',
  'refused',
  'unreadable',
  'fault',
  'notAudio',
  'none',
];
const AUDIO_EFFECTS: AudioEffect['type'][] = [
  'open',
  'openReplacement',
  'swap',
  'close',
  'hold',
  'release',
  'resume',
];
const SERVER_MODES: ServerMode[] = [
  'answers',
  'answers',
  'offline',
  'never',
  'html',
  'providerFails',
  'tooMany',
];

/** Makes a step whose text is the call that makes it. */
function step<Args extends (number | string)[]>(
  name: string,
  act: (real: Real, ...args: Args) => void | Promise<void>,
) {
  return (...args: Args): Step => ({
    check: () => true,
    async run(_, real) {
      await act(real, ...args);
      // Nobody acts in two tabs within a millisecond.
      await real.browser.passes(1);
    },
    toString: () => `${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`,
  });
}

export const wait = step('wait', ({ browser }, ms: number) => browser.passes(ms));

export const press = step('press', ({ browser }, number: number) => {
  const tab = browser.tab(number);
  const button = viewOf(browser, tab)?.button;
  if (tab.store === null || (button !== 'play' && button !== 'pause')) return;
  tab.store.send({ type: button === 'play' ? 'playPressed' : 'pausePressed' });
  tab.asksForSound = tab.store.state().player.wanted;
});

export const create = step('create', ({ browser, watched }, number: number) => {
  const tab = browser.tab(number);
  const { store } = tab;
  const state = store?.state();
  if (!store || !state || store.hasEnded() || state.sessionEnded) return;
  // The overlay covers the button.
  if (state.player.creating === 'pressed') return;
  browser.world.pressedAt = browser.world.nowMs;
  watched.pressed(tab);
  store.createToken();
  const unsubscribe = store.subscribe(() => {
    const { player, failure } = store.state();
    if (player.creating !== null) return;
    if (failure) watched.creationFailed(browser, tab, failure.code, failure.retryAfterSeconds);
    if (failure || store.hasEnded() || tokenState(store.state().stored, browser.epochMs()).kind === 'active')
      unsubscribe();
  });
});

const pressSmall = step('pressSmall', ({ browser }, number: number) => {
  const view = viewOf(browser, browser.tab(number));
  const { store } = browser.tab(number);
  if (view?.canRetry) store?.send({ type: 'retryAsked' });
  else if (view?.canStopWaiting) store?.send({ type: 'pausePressed' });
});

export const tick = step('tick', ({ browser }, number: number) => {
  const { store } = browser.tab(number);
  if (store && !store.hasEnded() && !store.state().sessionEnded)
    store.setAutoCreate(!store.state().autoCreate);
});

export const stream = step('stream', ({ browser }, mode: string) => browser.setStream(mode as StreamMode));
export const server = step('server', ({ browser }, mode: string) => browser.setServer(mode as ServerMode));
export const moveBase = step('moveBase', ({ browser }) => browser.moveBase());
export const endSession = step('endSession', ({ browser }) => {
  browser.world.session = false;
});

export const fault = step('fault', ({ browser }, kind: string, number: number) => {
  const tab = browser.tab(number);
  const connection = browser.connectionOf(tab);
  if (connection) browser.faults[kind as keyof MadeUpBrowser['faults']](tab, connection);
});

export const breaks = step('breaks', ({ browser }, effect: string, number: number) => {
  browser.tab(number).breaks.add(effect as AudioEffect['type']);
});

export const refuseChannel = step('refuseChannel', ({ browser }) => {
  browser.world.channelRefused = true;
});

export const setClock = step('setClock', async ({ browser }, byMs: number) => {
  // Two tabs compare the times of presses while their messages are under way.
  await browser.passes(SECOND_MS);
  browser.setClock(byMs);
});

const comeBack = step('comeBack', ({ browser }, number: number) => {
  browser.tab(number).hidden = false;
  browser.tab(number).store?.send({ type: 'retryAsked' });
});
const hide = step('hide', ({ browser }, number: number) => {
  browser.tab(number).hidden = true;
});
export const reload = step('reload', ({ browser }, number: number) => browser.reload(browser.tab(number)));
export const openBeside = step('openBeside', async ({ browser }, number: number, how: string) => {
  browser.openBeside(browser.tab(number), how === 'copy');
  // Keeps the copied tab open while the copy asks for it.
  await browser.passes(2 * SECOND_MS);
});
const signOut = step('signOut', ({ browser }, number: number) => browser.signOut(browser.tab(number)));
export const signIn = step('signIn', ({ browser }, number: number) => browser.signIn(browser.tab(number)));
export const thirdTabCreates = step('thirdTabCreates', ({ browser }) => browser.thirdTabCreates());

const tab = fc.integer({ min: 0, max: 1 });
const waits = fc.oneof(
  fc.integer({ min: 1, max: 2_000 }),
  fc.integer({ min: 2_000, max: 30_000 }),
  fc.integer({ min: 30_000, max: 5 * MINUTE_MS }),
  fc.constant(21 * MINUTE_MS),
  // Until about the end of a token.
  fc.integer({ min: 20 * MINUTE_MS - 15 * SECOND_MS, max: 20 * MINUTE_MS }),
);

const anyStep = fc.oneof(
  { weight: 10, arbitrary: waits.map((ms) => wait(ms)) },
  { weight: 5, arbitrary: tab.map((number) => press(number)) },
  { weight: 5, arbitrary: tab.map((number) => create(number)) },
  { weight: 1, arbitrary: tab.map((number) => pressSmall(number)) },
  { weight: 1, arbitrary: tab.map((number) => tick(number)) },
  { weight: 3, arbitrary: fc.constantFrom(...STREAM_MODES).map((mode) => stream(mode)) },
  { weight: 3, arbitrary: fc.constantFrom(...SERVER_MODES).map((mode) => server(mode)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom('lost', 'lost', 'runsDry', 'pausedOutside', 'blocked'), tab)
      .map(([kind, number]) => fault(kind, number)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...AUDIO_EFFECTS), tab).map(([kind, number]) => breaks(kind, number)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-60, -1, -0.5, 0.5, 1, 60).map((minutes) => setClock(minutes * MINUTE_MS)),
  },
  { weight: 1, arbitrary: fc.constant(moveBase()) },
  { weight: 1, arbitrary: fc.constant(endSession()) },
  { weight: 1, arbitrary: fc.constant(refuseChannel()) },
  { weight: 2, arbitrary: fc.constant(thirdTabCreates()) },
  { weight: 1, arbitrary: tab.map((number) => comeBack(number)) },
  { weight: 1, arbitrary: tab.map((number) => hide(number)) },
  { weight: 1, arbitrary: tab.map((number) => reload(number)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(tab, fc.constantFrom('copy', 'empty'))
      .map(([number, how]) => openBeside(number, how)),
  },
  { weight: 1, arbitrary: tab.map((number) => signOut(number)) },
  { weight: 2, arbitrary: tab.map((number) => signIn(number)) },
);

/** Steps of people, tabs, server and stream; the first ones lead to sound, which most others are about. */
export const anySteps = fc
  .array(anyStep, { minLength: 1, maxLength: 30 })
  .map((steps) => [wait(3_000), create(0), wait(5_000), press(0), wait(5_000), ...steps]);

/** Takes the steps in two tabs of one browser; throws what is wrong after one of them. */
export async function take(chanceSeed: number, steps: Step[]): Promise<void> {
  const watched = watch();
  const browser = madeUpBrowser(chanceSeed, () => watched.check(browser));
  for (const each of steps) await each.run({}, { browser, watched });
  await browser.passes(MINUTE_MS);
}
