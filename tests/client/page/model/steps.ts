import fc from 'fast-check';
import { tokenState } from '../../../../client/page/tokenState.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../shared/durations.ts';
import { watch } from './invariants.ts';
import {
  type AccountId,
  type Breakable,
  type MadeUpBrowser,
  madeUpBrowser,
  type ServerMode,
  type StreamMode,
} from './madeUpBrowser.ts';

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
const BREAKABLE: Breakable[] = [
  'openAudio',
  'askStream',
  'open',
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
  'rejects',
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
  const button = tab.page.shown()?.view.button;
  if (tab.waiting || (button !== 'play' && button !== 'pause')) return;
  tab.page.send({ type: button === 'play' ? 'playPressed' : 'pausePressed' });
  tab.asksForSound = tab.page.shown()?.player.wanted === true;
  tab.pressedAt = browser.world.nowMs;
});

export const create = step('create', ({ browser, watched }, number: number) => {
  const tab = browser.tab(number);
  const { page } = tab;
  const before = page.shown();
  if (!before || before.sessionEnded || tab.waiting) return;
  // The overlay covers the button.
  if (before.creating === 'partner') return;
  // The page would take it for a double press.
  if (browser.world.nowMs - tab.createPressedAt < 400) return;
  tab.createPressedAt = browser.world.nowMs;
  browser.world.pressedAt = browser.world.nowMs;
  watched.pressed(tab);
  page.createToken();
  const unsubscribe = page.subscribe(() => {
    const shown = page.shown();
    if (shown?.dashboard !== before.dashboard) return unsubscribe();
    const { creating, failure, token } = shown;
    if (creating !== null) return;
    if (failure) watched.creationFailed(browser, tab, failure.code, failure.retryAfterSeconds);
    if (failure || tokenState(token, browser.epochMs()).kind === 'active') unsubscribe();
  });
});

export const pressSmall = step('pressSmall', ({ browser }, number: number) => {
  const { page, waiting } = browser.tab(number);
  const view = page.shown()?.view;
  if (waiting) return;
  if (view?.retry === 'possible') page.send({ type: 'retryAsked' });
  else if (view?.alarmButton) page.send({ type: 'pausePressed' });
});

export const tick = step('tick', ({ browser }, number: number) => {
  const { page, waiting } = browser.tab(number);
  const shown = page.shown();
  if (shown && !shown.sessionEnded && !waiting) page.setAutoCreate(!shown.autoCreate);
});

export const stream = step('stream', ({ browser }, mode: string) => browser.setStream(mode as StreamMode));
export const server = step('server', ({ browser }, mode: string) => browser.setServer(mode as ServerMode));
export const moveBase = step('moveBase', ({ browser }) => browser.moveBase());
export const endSession = step('endSession', ({ browser }) => {
  browser.sessions.clear();
});

export const fault = step('fault', ({ browser }, kind: string, number: number) => {
  const tab = browser.tab(number);
  const connection = browser.connectionOf(tab);
  if (connection) browser.faults[kind as keyof MadeUpBrowser['faults']](tab, connection);
});

export const breaks = step('breaks', ({ browser }, effect: string, number: number) => {
  browser.tab(number).breaks.add(effect as Breakable);
});

export const refuseLocks = step('refuseLocks', ({ browser }) => {
  browser.world.locksRefused = true;
});

export const setClock = step('setClock', async ({ browser }, byMs: number) => {
  await browser.passes(SECOND_MS);
  browser.setClock(byMs);
});

export const comeBack = step('comeBack', ({ browser }, number: number) => {
  browser.tab(number).hidden = false;
  browser.tab(number).page.send({ type: 'retryAsked' });
});
const hide = step('hide', ({ browser }, number: number) => {
  browser.tab(number).hidden = true;
});
export const reload = step('reload', ({ browser }, number: number) => browser.reload(browser.tab(number)));
export const openBeside = step('openBeside', async ({ browser }, number: number, how: string) => {
  // A tab is copied while its page is seen.
  const isCopy = how === 'copy' && browser.tab(number).waiting === null;
  browser.openBeside(browser.tab(number), isCopy);
  // Keeps the copied tab open while the copy asks for it.
  await browser.passes(2 * SECOND_MS);
});
export const signOut = step('signOut', ({ browser }, number: number) => {
  const tab = browser.tab(number);
  if (!tab.waiting) browser.signOut(tab);
});
export const signIn = step('signIn', ({ browser }, number: number, account: string) => {
  const tab = browser.tab(number);
  if (!tab.waiting) void browser.signIn(tab, account as AccountId);
});
export const goForward = step('goForward', ({ browser }, number: number) =>
  browser.goForward(browser.tab(number)),
);
export const goBack = step('goBack', ({ browser }, number: number) => browser.goBack(browser.tab(number)));
export const refuseWrites = step('refuseWrites', ({ browser }, number: number) => {
  const tab = browser.tab(number);
  tab.refusesWrites = !tab.refusesWrites;
});
export const thirdTabCreates = step('thirdTabCreates', ({ browser }) => browser.thirdTabCreates());

const unsetExpiry = step('unsetExpiry', ({ browser }) => void browser.unsetExpiry());
export const lateTabExpires = step('lateTabExpires', ({ browser }) => browser.lateTabExpires());

export const mute = step('mute', ({ browser }, number: number) => browser.tab(number).page.mute());

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
      .tuple(fc.constantFrom('lost', 'lost', 'runsDry', 'pausedOutside', 'blocked', 'silent', 'audible'), tab)
      .map(([kind, number]) => fault(kind, number)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...BREAKABLE), tab).map(([kind, number]) => breaks(kind, number)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-60, -1, -0.5, 0.5, 1, 60).map((minutes) => setClock(minutes * MINUTE_MS)),
  },
  { weight: 1, arbitrary: fc.constant(moveBase()) },
  { weight: 1, arbitrary: fc.constant(endSession()) },
  { weight: 1, arbitrary: fc.constant(refuseLocks()) },
  { weight: 2, arbitrary: fc.constant(thirdTabCreates()) },
  { weight: 1, arbitrary: fc.constant(unsetExpiry()) },
  { weight: 1, arbitrary: fc.constant(lateTabExpires()) },
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
  {
    weight: 3,
    arbitrary: fc.tuple(tab, fc.constantFrom('a1', 'a2')).map(([number, account]) => signIn(number, account)),
  },
  { weight: 1, arbitrary: tab.map((number) => goForward(number)) },
  { weight: 2, arbitrary: tab.map((number) => goBack(number)) },
  { weight: 1, arbitrary: tab.map((number) => refuseWrites(number)) },
  { weight: 1, arbitrary: tab.map((number) => mute(number)) },
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
