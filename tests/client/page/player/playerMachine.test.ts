import { describe, expect, test } from 'vitest';
import { playerMachine } from '../../../../client/page/player/playerMachine.ts';
import { soundOf } from '../../../../client/page/player/sound.ts';
import { BASE, testPlayer } from './testPlayer.ts';

type Outcome = ReturnType<ReturnType<typeof testPlayer>['outcome']>;
type Row = [title: string, steps: string, outcome: { [Key in keyof Outcome]?: unknown }];

const FULL = 'plays 1min';
const LOST = 'plays 20min lost';
const DATA_STOPPED = `${FULL} dataStopped 300ms`;

const afterSteps = (steps: string) => testPlayer().goes(steps);

function follow(rows: Row[]): void {
  test.each(rows)('%s: %s', (_, steps, outcome) => {
    expect(afterSteps(steps).outcome()).toMatchObject(outcome);
  });
}

describe('play', () => {
  follow([
    ['does nothing without a valid token', 'expires play', { opened: 0, wanted: false }],
    ['ends at the next press', 'play pause', { wanted: false, closed: 1 }],
  ]);

  test('opens the base address directly followed by the current token', () => {
    const player = afterSteps('plays pause token:second== play');
    expect(player.effectsOf('open').at(-1)).toMatchObject({ url: `${BASE}second==` });
  });

  test.each([
    ['play', 1],
    ['play pause', 0],
  ])('waits for the base address: %s', (steps, opened) => {
    const player = testPlayer({ streamBase: null }).goes(steps);
    expect(player.outcome().opened).toBe(0);
    player.learns(BASE);
    expect(player.outcome().opened).toBe(opened);
  });

  test('keeps the lock of the page for two seconds after it ended, for a tab that is copied meanwhile', () => {
    const released = (steps: string) => afterSteps(steps).effectsOf('releaseLock').length;
    expect([released('plays pause 1999ms'), released('plays pause 2s')]).toEqual([0, 1]);
  });

  test('is told to analytics once it sounds', () => {
    const told = (steps: string) => afterSteps(steps).effectsOf('track').length;
    expect([told('play'), told('plays lost 300ms playing'), told('plays pause plays')]).toEqual([0, 1, 2]);
  });
});

describe('a lost connection', () => {
  follow([
    ['is not opened in the same moment', 'plays lost', { opened: 1 }],
    ['is opened within 0.3 s', 'plays lost 300ms', { opened: 2 }],
    ['is a repetition before 10 s of sound', 'plays lost 300ms playing 9999ms lost 300ms', { opened: 2 }],
    ['is a new one after 10 s of sound', 'plays lost 300ms playing 10s lost 300ms', { opened: 3 }],
    [
      'is a new one after 10 s of sound with a gap',
      'plays lost 300ms playing 5s waiting 300ms playing 5s lost 300ms',
      { opened: 3 },
    ],
    ['stays closed after a pause', 'plays 1s noOutput press 1min', { opened: 1 }],
    ['is not assumed before 5 s without progress', 'plays stalls:4999', { closed: 0 }],
    ['is assumed after 5 s without progress', 'plays stalls:5000', { closed: 1 }],
    ['is not assumed before 15 s without a token', 'plays 20min stalls:14999', { closed: 0 }],
    ['is assumed after 15 s without a token', 'plays 20min stalls:15000', { closed: 1 }],
    ['is not assumed while it opens', 'play stalls:14999', { attempts: { count: 0 } }],
    [
      'is assumed after 15 s of opening',
      'play stalls:15000',
      { attempts: { count: 1 }, answers: { last: 'hangs' } },
    ],
    [
      'is blamed on this computer if data is buffered',
      'plays stallsWithData:5000',
      { answers: { last: 'noOutput' } },
    ],
    ['is closed while no sound device plays it', 'plays outputMissing', { closed: 1 }],
    ['is kept without a token while no sound device plays it', 'plays 20min outputMissing', { closed: 0 }],
    [
      'is kept without a token that plays what nobody hears',
      'plays 20min stallsWithData:15000',
      { closed: 0 },
    ],
  ]);

  test.each([
    [0, [667, 1_333, 2_667, 5_333, 7_500, 7_500]],
    [1, [1_333, 2_667, 5_333, 10_667, 15_000, 15_000]],
  ])('is opened again after waits that a random of %d spreads to %j', (random, waits) => {
    const player = testPlayer({ random: () => random }).goes('play');
    for (const [index, waitMs] of waits.entries()) {
      player.goes(`fails:none ${waitMs - 2}ms`);
      expect(player.outcome().opened).toBe(index + 1);
      player.passes(3);
      expect(player.outcome().opened).toBe(index + 2);
    }
  });

  test('is opened again with the newest of the valid tokens', () => {
    expect(afterSteps('plays noOutput token:second 1min').tokensOf('open')).toEqual(['first', 'second']);
  });

  test('is opened again every 30 s at the latest after five minutes', () => {
    const player = testPlayer({ random: () => 1 }).goes('play');
    player.goes('fails:fault 30001ms '.repeat(10));
    expect(player.state().opening).not.toBeNull();
    expect(player.goes('fails:fault 29s').state().opening).toBeNull();
  });
});

describe('a connection that does not open', () => {
  const REFUSED = 'fails:refused 15s fails:refused';
  follow([
    ['is opened again while the page asks why', 'play unopened 1s', { opened: 2 }],
    [
      'is tried on after one refusal',
      'play fails:refused 15s fails:fault 15s fails:refused 15s',
      { opened: 4 },
    ],
    [
      'is given up after two in a row',
      `play ${REFUSED} 10min`,
      { wanted: true, obstacle: 'refused', opened: 2 },
    ],
    ['is opened at once if the provider sends audio', 'play fails:audio', { opened: 2 }],
    ['is not opened at once twice', 'play fails:audio fails:audio', { opened: 2 }],
    ['is tried again at a press', `play ${REFUSED} play`, { obstacle: null, opened: 3 }],
    [
      'is tried for as long as its token is valid',
      `play ${'fails:unreadable 30s '.repeat(20)}`,
      { opened: 21 },
    ],
  ]);

  test('is tried again at a new stream address', () => {
    const player = afterSteps(`play ${REFUSED}`);
    player.learns('https://new.example/live?sign=');
    expect(player.outcome()).toMatchObject({ obstacle: null, opened: 3 });
  });

  test('is asked for the cause', () => {
    expect(afterSteps('play unopened').tokensOf('askWhy')).toEqual(['first']);
  });

  test('lets the page ask our server once if it sends nothing', () => {
    const asked = (steps: string) => afterSteps(steps).effectsOf('askDashboard').length;
    expect([
      asked('play fails:none'),
      asked('play stalls:15000'),
      asked('play stalls:15000 5s stalls:15000'),
    ]).toEqual([0, 1, 1]);
  });

  test('is no concern of a later play', () => {
    const player = afterSteps('play unopened');
    const { id = -1 } = player.state().answers.asking ?? {};
    player.goes('pause play').send({ type: 'answerLearned', id, answer: 'refused' });
    expect(player.state().answers.last).toBeNull();
  });
});

describe('sound that pages may no longer read', () => {
  const UNREADABLE = 'fails:unreadable 15s';
  const PLAIN = `plays 10s lost 300ms ${UNREADABLE} unmeasured playing`;
  const PLAIN_BESIDE = `${DATA_STOPPED} replacement:unopened 2s replacement:unmeasured replacement:playing`;

  /** Whether the connections were opened without CORS, in order. */
  const plainOnes = (steps: string) =>
    afterSteps(steps).effects.flatMap((effect) => ('isPlain' in effect ? [effect.isPlain] : []));

  test.each<[what: string, steps: string, isPlain: boolean[]]>([
    [
      'is tried once without CORS',
      `play ${UNREADABLE} ${UNREADABLE} ${UNREADABLE}`,
      [false, true, false, false],
    ],
    [
      'is not tried without it for another reason',
      'play fails:none 15s fails:fault 15s',
      [false, false, false],
    ],
    ['is tried without it beside what is buffered', PLAIN_BESIDE, [false, false, true]],
    [
      'is tried without it first after the next loss, once',
      `${PLAIN} 10s lost 300ms ${UNREADABLE}`,
      [false, false, true, true, false],
    ],
    ['is tried with it at the next press of play', `${PLAIN} pause play`, [false, false, true, false]],
    ['is measured again beside after five minutes', `${PLAIN} 301s`, [false, false, true, false]],
    [
      'is measured again five minutes after that failed',
      `${PLAIN} 301s replacement:unopened 299s`,
      [false, false, true, false],
    ],
    ['is not measured again without a token', `${PLAIN} 20min`, [false, false, true, false]],
    [
      'is not measured again where nothing is measured',
      `plays 10s lost 300ms ${UNREADABLE} playing 15min`,
      [false, false, true],
    ],
  ])('%s', (_what, steps, isPlain) => {
    expect(plainOnes(steps)).toEqual(isPlain);
  });

  test('is no gap while it is measured again', () => {
    const { id } = afterSteps(PLAIN).state().heard ?? {};
    const { heard } = afterSteps(`${PLAIN} 301s replacement:unopened`).state();
    expect(heard).toMatchObject({ id, phase: 'playing' });
  });

  test('is no longer called a silent programme', () => {
    const steps = 'plays 10s silent lost 300ms fails:unreadable 15s playing';
    expect(afterSteps(steps).state().isProgrammeSilent).toBe(false);
  });

  test('needs another token after four unreadable answers in a row', () => {
    const player = afterSteps(`plays auto 10s lost 300ms ${'fails:unreadable 15s '.repeat(3)}`);
    expect(player.outcome().creationsAsked).toBe(0);
    expect(player.goes('fails:unreadable 1s').outcome().creationsAsked).toBe(1);
  });
});

describe('a gap', () => {
  follow([
    ['of less than 0.5 s is no loss', 'plays waiting 499ms', { isMissing: false }],
    [
      'of less than 0.5 s leaves nothing',
      'plays waiting 499ms playing 1min',
      { isMissing: false, opened: 1 },
    ],
    ['of 0.5 s is a loss', 'plays waiting 500ms', { isMissing: true }],
    ['without an event is a loss after 0.5 s', 'plays stalls:500', { isMissing: true }],
    ['is a dropout afterwards', 'plays waiting 2500ms playing', { dropout: { kind: 'over' } }],
  ]);
});

describe('lost sound without a valid token', () => {
  follow([
    ['stays wanted, and nothing is tried', `${LOST} 1min`, { wanted: true, isMissing: true, opened: 1 }],
    ['plays with the next token made in another tab', `${LOST} token:second`, { opened: 2 }],
    ['stays off once the waiting ended', `${LOST} pause token:second`, { opened: 1 }],
    ['makes no token by itself unless allowed', `${LOST} 60min`, { creationsAsked: 0 }],
  ]);
});

describe('an automatic token', () => {
  const REFUSED_TWICE = 'play fails:refused 15s fails:refused';
  const SHORT_OF_DATA = 'plays 20min dataStopped 400ms dataStopped 100ms';
  follow([
    ['is made within 0.3 s of a loss', `auto ${LOST} 300ms`, { creationsAsked: 1 }],
    ['is played', `auto ${LOST} 300ms created:second`, { opened: 2 }],
    [
      'is made at once for a loss after 10 s of sound',
      `auto ${LOST} 300ms created:second playing 10s expires lost 300ms`,
      { creationsAsked: 2 },
    ],
    [
      'is made at once for buffered sound after 10 s of sound',
      `auto ${LOST} 300ms created:second playing 10s expires dataStopped 500ms dataStopped 300ms`,
      { creationsAsked: 2 },
    ],
    [
      'is the one that a press of `Crear Token` waits for',
      `auto ${LOST} 300ms creates`,
      { creationsAsked: 1 },
    ],
    ['is not made once another tab made one', `auto ${LOST} 100ms token:second 1s`, { creationsAsked: 0 }],
    ['is not made for a moment without data', `auto ${SHORT_OF_DATA}`, { creationsAsked: 0 }],
    ['is made for buffered sound', `auto ${SHORT_OF_DATA} dataStopped 300ms`, { creationsAsked: 1 }],
    [
      'replaces buffered sound while that plays',
      `auto ${SHORT_OF_DATA} dataStopped 300ms created:second 300ms`,
      { opened: 1, replacements: 1 },
    ],
    [
      'is made after two readable refusals',
      `auto ${FULL} lost 15s fails:refused 15s fails:refused 300ms`,
      { creationsAsked: 1 },
    ],
    [
      'is not made after three unreadable answers',
      `auto ${FULL} lost ${'15s fails:unreadable '.repeat(3)} 300ms`,
      { creationsAsked: 0 },
    ],
    [
      'is made after four unreadable answers',
      `auto ${FULL} lost ${'15s fails:unreadable '.repeat(4)} 300ms`,
      { creationsAsked: 1 },
    ],
    ['is not made after a pause', `auto ${LOST} press 10min`, { creationsAsked: 0 }],
    ['is not made before any sound', `auto ${REFUSED_TWICE} 10min`, { creationsAsked: 0 }],
    ['is not made for another tab', `auto plays 20min otherTab 10min`, { creationsAsked: 0 }],
    ['is not made after a reload', 'auto reloaded 30min', { creationsAsked: 0 }],
    ['is not made after a pause from outside', `auto plays 20min pausedOutside 10min`, { creationsAsked: 0 }],
  ]);

  /** How many seconds pass before the next creation after each of these steps. */
  function waitsAfter(steps: string[], random = 0.5): number[] {
    const player = testPlayer({ random: () => random }).goes(`auto ${LOST} 300ms`);
    return steps.map((step) => {
      player.goes(step);
      const [before, startMs] = [player.outcome().creationsAsked, player.nowMs()];
      while (player.outcome().creationsAsked === before) player.passes(100);
      return Math.round((player.nowMs() - startMs) / 1_000);
    });
  }

  test('is made again after 30, 60, 120, 300 and 300 s if the provider was asked', () => {
    expect(waitsAfter(Array(5).fill('notCreated'))).toEqual([30, 60, 120, 300, 300]);
  });

  test.each(['NO_NETWORK', 'DATABASE_UNAVAILABLE', 'NO_ANSWER', 'BUSY', 'OTHER_PAGE'])(
    'is soon made again after %s, which cost the provider nothing',
    (code) => {
      const step = `notCreated:${code}`;
      expect(waitsAfter([step, step, step, step, step, step, 'notCreated'])).toEqual([
        1, 2, 4, 8, 16, 23, 30,
      ]);
    },
  );

  test.each([
    [0, 41],
    [1, 55],
  ])(
    'is made again as soon as a limit of 40 s allows it; with a random of %d after %d s',
    (random, waitS) => {
      expect(waitsAfter(['limited:40'], random)).toEqual([waitS]);
    },
  );

  test('counts without an answer, since the provider may have been asked', () => {
    expect(waitsAfter(['17s notCreated:NO_ANSWER', '17s notCreated:NO_ANSWER'])).toEqual([13, 43]);
  });
});

describe('when the network or the page is back', () => {
  follow([
    ['the next attempt comes at once, once', 'plays noOutput retry retry 10s', { opened: 2 }],
    ['a connection that opens or plays is kept', 'retry play retry playing retry', { opened: 1 }],
    ['one that waits for data is kept without a token', 'plays 20min waiting retry', { opened: 1 }],
    ['a gap that is not heard keeps its connection', 'plays waiting 499ms retry', { opened: 1, closed: 0 }],
    ['one that waits for data is replaced', 'plays waiting 500ms retry', { opened: 2 }],
  ]);

  test('a gap that is noticed late counts as a dropout', () => {
    const player = afterSteps('plays waiting');
    const before = player.state();
    const given = player.given();
    const epochMs = (given.token?.expiresAt ?? 0) - 1;
    const late = { ...given, monotonicMs: player.nowMs() + 500, epochMs, random: 0 };
    const state = playerMachine(before, { type: 'retryAsked' }, late);
    expect([soundOf(state), state.dropout?.kind]).toEqual(['reconnecting', 'ongoing']);
  });
});

describe('while the partner creates a token', () => {
  const CREATES = 'plays creates';
  const RELEASED = { wanted: true, mutedWhileCreating: false, heard: { phase: 'playing' } };
  follow([
    ['sound goes on if the creation fails', `${CREATES} 20min notCreated`, RELEASED],
    ['a held connection still waits for data', `${CREATES} waiting notCreated 500ms`, { isMissing: true }],
    [
      'a held connection has half a second to be heard again',
      `${CREATES} waiting 5s notCreated 499ms`,
      { isMissing: false },
    ],
    [
      'a held connection still falls behind',
      `${CREATES} behind:12 notCreated`,
      { heard: { behindSeconds: 12 } },
    ],
    ['a held connection is kept when the page is back', `${CREATES} waiting retry notCreated`, { closed: 0 }],
    ['a held connection that ends stays closed', `${CREATES} lost 10s`, { opened: 1 }],
    ['a held connection that ended is opened again', `${CREATES} lost 10s notCreated`, { opened: 2 }],
    ['a held connection that ended counts as lost', `${CREATES} lost notCreated`, { isMissing: true }],
    ['heard sound ends in the partner’s pause', `${CREATES} created:second`, { wanted: false, opened: 1 }],
    ['an interruption is remembered', `${CREATES} created:second`, { wasInterrupted: true }],
    [
      'an interruption is over with the next play',
      `${CREATES} created:second play`,
      { wasInterrupted: false },
    ],
    ['lost sound plays at once', 'plays lost creates created:second', { opened: 2 }],
    [
      'sound that was not heard yet plays with the new token',
      'play creates created:second playing',
      { wanted: true, opened: 2, heard: { phase: 'playing' } },
    ],
    [
      'sound that begins meanwhile needs no second connection',
      'play creates playing created:second 1min',
      { wanted: true, opened: 1, replacements: 0 },
    ],
    [
      'an earlier dropout is still told if the creation fails',
      'plays 1min lost 5s playing 1min creates notCreated',
      { dropout: { kind: 'over' } },
    ],
    [
      'an earlier dropout does not stand for a new loss',
      'plays 1min lost 5s playing 1min creates lost notCreated',
      { dropout: { kind: 'ongoing' } },
    ],
    [
      'sound that waits for data is replaced',
      'plays waiting 500ms creates created:second 300ms',
      { opened: 1, replacements: 1 },
    ],
    ['a silent programme is replaced', 'plays silent creates created:second 300ms', { replacements: 1 }],
    ['a pause from outside ends', 'plays pausedOutside creates created:second 300ms', { replacements: 1 }],
    ['another tab’s play counts', `${CREATES} otherTab notCreated`, { wanted: false, otherTabPlays: true }],
  ]);

  test('the heard connection is mutedWhileCreating, then released', () => {
    const { effects } = afterSteps(`${CREATES} notCreated`);
    expect(effects.filter(({ type }) => type === 'hold' || type === 'release')).toEqual([
      { type: 'hold', id: 1 },
      { type: 'release', id: 1 },
    ]);
  });
});

describe('a connection over which no more data comes', () => {
  follow([
    ['is replaced once', `${DATA_STOPPED} dataStopped`, { opened: 1, replacements: 1, closed: 0 }],
    [
      'is replaced at once with a new token, instead of the one that opens',
      `${DATA_STOPPED} waiting 500ms token:second 300ms`,
      { replacements: 2, closed: 1, heard: { id: 1 }, opening: { id: 3 } },
    ],
    [
      'is replaced without a dropout',
      `${DATA_STOPPED} replacement:playing`,
      { heard: { id: 2, phase: 'playing' }, dropout: null },
    ],
    [
      'is replaced after a growing wait',
      `${DATA_STOPPED} replacement:unopened 1s replacementStalls:15000 1999ms`,
      { replacements: 2 },
    ],
    [
      'is replaced by later attempts, 15 s apart at most',
      `plays 5min dataStopped 300ms replacementStalls:15000 1s ${'replacement:unopened 15s '.repeat(4)}`,
      { replacements: 6 },
    ],
    ['is kept if data arrives after all', `${DATA_STOPPED} dataResumed`, { opening: null, closed: 1 }],
    ['may run dry again', `${DATA_STOPPED} dataResumed dataStopped 300ms`, { replacements: 2 }],
    [
      'leaves its place to the one that opens beside it',
      `${DATA_STOPPED} lost 10s`,
      {
        heard: null,
        opening: { id: 2 },
        attempts: { count: 1 },
        opened: 1,
        replacements: 1,
      },
    ],
    [
      'is opened again if it ends between two',
      `${DATA_STOPPED} replacement:unopened lost 10s`,
      { opened: 2, replacements: 1 },
    ],
    [
      'is not replaced at once soon after',
      `${DATA_STOPPED} replacement:playing 9s dataStopped 300ms`,
      { replacements: 1 },
    ],
    [
      'is replaced again a second later',
      `${DATA_STOPPED} replacement:playing 9s dataStopped 1s`,
      { replacements: 2 },
    ],
    [
      'is replaced at once when the network is back',
      `${DATA_STOPPED} replacement:unopened retry retry`,
      { replacements: 2 },
    ],
    [
      'is kept while no token can replace it',
      `${DATA_STOPPED} replacement:unopened expires 1min retry`,
      { heard: { id: 1 }, opening: null, replacements: 1 },
    ],
  ]);

  test('is replaced with the newest of the valid tokens', () => {
    const player = afterSteps('plays token:second 1min dataStopped 300ms');
    expect(player.effectsOf('open').slice(1)).toEqual([
      { type: 'open', id: 2, url: `${BASE}second`, isPlain: false, isBeside: true },
    ]);
  });

  test('is closed once the other one took its place', () => {
    expect(afterSteps(`${DATA_STOPPED} replacement:playing`).effects.slice(-2)).toEqual([
      { type: 'swap', id: 2 },
      { type: 'close', id: 1 },
    ]);
  });
});

describe('sound behind the live edge', () => {
  follow([
    ['by up to five seconds is accepted', `${FULL} behind:5 300ms`, { replacements: 0 }],
    [
      'by more is replaced, data or not',
      `${FULL} behind:6 300ms dataResumed`,
      { replacements: 1, closed: 0 },
    ],
    ['joins it', `${FULL} behind:6 300ms replacement:playing`, { heard: { id: 2, behindSeconds: 0 } }],
    ['is accepted without a valid token', `${FULL} expires behind:12 300ms`, { replacements: 0 }],
    ['after a sleep joins it, untold', `${FULL} mayHaveSlept 300ms`, { replacements: 1, dropout: null }],
    [
      'after a sleep joins it once',
      `${FULL} mayHaveSlept 300ms replacement:playing 1min`,
      { heard: { id: 2 }, replacements: 1 },
    ],
    [
      'after a sleep is accepted without a valid token',
      `${FULL} expires mayHaveSlept 1s`,
      { replacements: 0 },
    ],
  ]);
});

describe('an obstacle', () => {
  const PAUSED = `${FULL} pausedOutside`;
  follow([
    ['paused from outside keeps its connection', `${PAUSED} 59999ms`, { closed: 0 }],
    [
      'paused from outside before its first sound waits for play',
      'play pausedOutside 10min',
      { wanted: true, obstacle: 'pausedOutside', opened: 1, closed: 1 },
    ],
    ['paused from outside lets go after a minute', `${PAUSED} 1min`, { closed: 1 }],
    ['paused from outside waits', `${PAUSED} 10min`, { wanted: true, obstacle: 'pausedOutside', opened: 1 }],
    [
      'paused from outside ends when resumed',
      `${PAUSED} 30s playing`,
      { obstacle: null, opened: 1, closed: 0 },
    ],
    ['paused from outside ends at a press', `${PAUSED} play`, { obstacle: null, opened: 2 }],
    ['set by the browser waits', `${FULL} lost 300ms blocked 10min`, { obstacle: 'blocked', opened: 2 }],
    ['set by the browser ends with a token', `${FULL} lost 300ms blocked token:second`, { opened: 3 }],
    [
      'after a reload waits',
      'reloaded token:second 10min',
      { wanted: true, obstacle: 'reloaded', opened: 0 },
    ],
    ['after a reload ends at a press', 'reloaded token:second play', { obstacle: null, opened: 1 }],
  ]);

  test('paused from outside ends over the same connection without a token', () => {
    const player = afterSteps(`${PAUSED} expires play`);
    expect(player.effectsOf('resume')).toEqual([{ type: 'resume', id: 1 }]);
  });
});

test('a page that is left lets go of the connection and remembers the wish', () => {
  const player = afterSteps('plays leaves');
  const { known, tabKnown } = player.page();
  expect(player.effectsOf('close')).toEqual([{ type: 'close', id: 1 }]);
  expect(known.soundIn).toEqual({ page: 'this page', isWanted: false });
  expect(tabKnown.soundWanted).toEqual({ account: 'a1', page: 'this page' });
});

describe('another tab that plays', () => {
  follow([
    ['ends the sound here', 'plays otherTab', { wanted: false, otherTabPlays: true, closed: 1 }],
    ['is over when play is pressed here', 'plays otherTab play', { wanted: true, otherTabPlays: false }],
    ['changes nothing where no sound was wanted', 'otherTab', { otherTabPlays: false }],
  ]);
});

describe('a silent programme', () => {
  follow([
    [
      'stays silent over another connection',
      `plays silent dataStopped 300ms replacement:playing`,
      { isProgrammeSilent: true },
    ],
    ['ends once sound is measured', 'plays silent audible', { isProgrammeSilent: false }],
  ]);
});
