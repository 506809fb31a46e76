import { beforeEach, describe, expect, test } from 'vitest';
import { BASE, type TestPlayer, testPlayer } from './testPlayer.ts';

const MINUTE_MS = 60_000;
const FIRST = `${BASE}first==`;
const SECOND = `${BASE}second==`;

let player: TestPlayer;

beforeEach(() => {
  player = testPlayer();
});

function playing(): void {
  player.play();
  player.reports('sounding');
}

const opened = () => player.opened('open');
const besides = () => player.opened('openBeside');
const counts = () => [opened().length, besides().length];

describe('play', () => {
  test('opens the stream’s base address directly followed by the current token', () => {
    playing();
    player.pause();
    expect(player.effects.at(-2)).toEqual({ type: 'close', id: 1 });
    player.learns('second==');
    player.play();
    expect(opened()).toEqual([FIRST, SECOND]);
  });

  test('does nothing without a valid token', () => {
    player.learns(null);
    player.play();
    expect([player.effects, player.state().wanted]).toEqual([[], false]);
  });

  test('waits until the stream’s base address is known', () => {
    player = testPlayer({ streamBase: null });
    player.play();
    expect(counts()).toEqual([0, 0]);
    player.send({ type: 'streamBaseLearned', streamBase: BASE });
    expect(opened()).toEqual([FIRST]);
  });

  test('that waits for the base address ends at a pause', () => {
    player = testPlayer({ streamBase: null });
    player.play();
    player.pause();
    player.send({ type: 'streamBaseLearned', streamBase: BASE });
    expect(counts()).toEqual([0, 0]);
  });

  test('is told to the other tabs and, once it sounds, to analytics', () => {
    const told = () => player.effects.filter(({ type }) => type === 'tellOtherTabs' || type === 'trackPlay');
    player.play();
    expect(told()).toEqual([{ type: 'tellOtherTabs', plays: true }]);
    player.reports('sounding');
    player.reports('lost');
    player.reports('sounding');
    player.pause();
    expect(told().slice(1)).toEqual([{ type: 'trackPlay' }, { type: 'tellOtherTabs', plays: false }]);
  });
});

describe('a lost connection', () => {
  beforeEach(playing);

  test('is opened again at once', () => {
    player.reports('lost');
    player.passes(0);
    expect(counts()).toEqual([2, 0]);
  });

  test('is opened with the token of that moment after growing waits until sound lasts ten seconds', () => {
    const soundsFor = (soundMs: number, waitMs: number) => {
      player.passes(soundMs);
      const before = opened().length;
      player.reports('lost');
      player.passes(waitMs - 1);
      expect(opened()).toHaveLength(before);
      player.passes(1);
      expect(opened()).toHaveLength(before + 1);
      player.reports('sounding');
    };
    player.reports('lost');
    player.passes(0);
    player.reports('sounding');
    soundsFor(1_000, 2_000);
    soundsFor(9_999, 4_000);
    soundsFor(1_000, 8_000);
    player.learns('second==');
    soundsFor(1_000, 15_000);
    soundsFor(1_000, 15_000);
    expect(opened().slice(3)).toEqual([FIRST, FIRST, SECOND, SECOND]);
    player.passes(10_000);
    player.reports('lost');
    player.reports('sounding');
    soundsFor(1_000, 2_000);
  });

  test('is given up when the token expires between two attempts', () => {
    player.reports('noOutput');
    player.learns(null);
    player.passes(1_000);
    expect(player.state()).toMatchObject({ wanted: false, stoppedBy: 'loss' });
  });

  test('stays closed after a pause', () => {
    player.reports('noOutput');
    player.pause();
    player.passes(MINUTE_MS);
    expect(counts()).toEqual([1, 0]);
  });

  test.each([
    ['after 5 s without progress', 'first==', 5_000],
    ['after 15 s where no token could open another', null, 15_000],
  ])('is noticed %s', (_, token, allowedMs) => {
    player.learns(token);
    player.reports({ stalledMs: allowedMs - 1, hasData: false });
    expect(player.state().heard).not.toBeNull();
    player.reports({ stalledMs: allowedMs, hasData: false });
    expect(player.effects).toContainEqual({ type: 'close', id: 1 });
  });

  test('that never sounded is noticed after 15 s', () => {
    player.pause();
    player.play();
    player.reports({ stalledMs: 14_999, hasData: false });
    expect(player.state().attempts.failed).toBe(0);
    player.reports({ stalledMs: 15_000, hasData: false });
    expect(player.state().attempts).toMatchObject({ failed: 1, lastCause: 'none' });
  });

  test('is blamed on this computer if data is buffered', () => {
    player.reports({ stalledMs: 5_000, hasData: true });
    expect(player.state().attempts.lastCause).toBe('noOutput');
  });
});

test.each([
  ['blocked', { wanted: false, stoppedBy: 'browser' }],
  ['pausedElsewhere', { wanted: false, stoppedBy: 'partner' }],
] as const)('a connection that ends as %s is not opened again', (end, state) => {
  playing();
  player.reports(end);
  player.passes(MINUTE_MS);
  expect(player.state()).toMatchObject(state);
  expect(counts()).toEqual([1, 0]);
});

describe('a connection that does not open', () => {
  beforeEach(() => player.play());

  test('is asked once for the cause', () => {
    player.reports('unopened');
    player.passes(4_000);
    expect(player.opened('askWhy')).toEqual([FIRST]);
    expect(counts()).toEqual([1, 0]);
  });

  test('is not tried again after a certain refusal', () => {
    player.doesNotOpen('certain');
    player.passes(20 * MINUTE_MS);
    expect(player.state()).toMatchObject({ wanted: false, stoppedBy: 'refusal' });
    expect(counts()).toEqual([1, 0]);
    player.learns('second==');
    expect(player.state().stoppedBy).toBe('partner');
  });

  test('is not tried again after four likely refusals in a row', () => {
    const likely = (times: number) => {
      for (let time = 0; time < times; time += 1) {
        player.doesNotOpen('likely');
        player.passes(15_000);
      }
    };
    likely(3);
    player.doesNotOpen('none');
    player.passes(15_000);
    likely(3);
    player.reports('sounding');
    player.reports('lost');
    player.passes(15_000);
    likely(3);
    expect(player.state().wanted).toBe(true);
    likely(1);
    expect(player.state().stoppedBy).toBe('refusal');
  });

  test('is no concern of a later play', () => {
    player.reports('unopened');
    player.pause();
    player.play();
    player.send({ type: 'refusalLearned', id: 1, refusal: 'certain' });
    expect(player.state()).toMatchObject({ wanted: true, heard: { id: 2 } });
  });
});

describe('when the network or the page is back', () => {
  test('the next attempt comes at once', () => {
    playing();
    player.reports('noOutput');
    player.send({ type: 'cameBack' });
    player.send({ type: 'cameBack' });
    player.passes(MINUTE_MS);
    expect(counts()).toEqual([2, 0]);
  });

  test('no connection that opens or plays is disturbed', () => {
    player.send({ type: 'cameBack' });
    expect(counts()).toEqual([0, 0]);
    player.play();
    player.send({ type: 'cameBack' });
    player.reports('sounding');
    player.send({ type: 'cameBack' });
    expect(counts()).toEqual([1, 0]);
  });

  test.each([
    ['kept if the token has expired', null, [FIRST]],
    ['replaced if the token is valid', 'second==', [FIRST, SECOND]],
  ])('a connection that waits for data is %s', (_, token, addresses) => {
    playing();
    player.reports('waiting');
    player.learns(token);
    player.send({ type: 'cameBack' });
    expect(opened()).toEqual(addresses);
  });
});

describe('while a token is being created', () => {
  beforeEach(() => {
    playing();
    player.send({ type: 'creationBegan' });
  });

  test('the connection is held until the creation fails', () => {
    player.learns(null);
    player.send({ type: 'creationFailed' });
    expect(player.effects.slice(-2)).toEqual([
      { type: 'hold', id: 1 },
      { type: 'release', id: 1 },
    ]);
    expect(player.state()).toMatchObject({ wanted: true, held: false, heard: { phase: 'sounding' } });
  });

  test.each([
    ['is opened again', 'first==', { wanted: true }, 2],
    ['stays lost without a valid token', null, { wanted: false, stoppedBy: 'loss' }, 1],
  ])('a connection that ends %s if the creation fails', (_, token, state, count) => {
    player.reports('lost');
    player.learns(token);
    player.passes(MINUTE_MS);
    expect(counts()).toEqual([1, 0]);
    player.send({ type: 'creationFailed' });
    expect(player.state()).toMatchObject(state);
    expect(counts()).toEqual([count, 0]);
  });

  test.each(['creationSucceeded', 'pausePressed', 'otherTabPlayed'] as const)(
    'its sound does not go on after %s',
    (type) => {
      player.send({ type });
      player.send({ type: 'creationFailed' });
      expect(player.effects).toContainEqual({ type: 'close', id: 1 });
      expect(player.state().wanted).toBe(false);
    },
  );
});

describe('a connection over which no more data comes', () => {
  beforeEach(() => {
    playing();
    player.passes(MINUTE_MS);
    player.reports('supplyEnded');
  });

  test('is replaced once, without a dropout', () => {
    player.reports('supplyEnded');
    expect([opened(), besides()]).toEqual([[FIRST], [FIRST]]);
    player.besideReports('sounding');
    expect(player.effects.slice(-2)).toEqual([
      { type: 'swap', id: 2 },
      { type: 'close', id: 1 },
    ]);
    expect(player.state()).toMatchObject({ heard: { id: 2, phase: 'sounding' }, dropout: { kind: 'none' } });
  });

  test('is replaced by a later attempt after a growing wait', () => {
    player.besideReports('unopened');
    player.reports('supplyEnded');
    player.passes(1_000);
    player.besideReports({ stalledMs: 15_000, hasData: false });
    player.passes(1_999);
    expect(counts()).toEqual([1, 2]);
    player.passes(1);
    expect(counts()).toEqual([1, 3]);
  });

  test('is kept if data arrives after all', () => {
    player.reports('supplyResumed');
    expect(player.effects.at(-1)).toEqual({ type: 'close', id: 2 });
    player.reports('supplyEnded');
    expect(counts()).toEqual([1, 2]);
  });

  test('leaves its place to the one that opens beside it', () => {
    player.reports('lost');
    player.passes(10_000);
    expect(player.effects.at(-2)).toEqual({ type: 'swap', id: 2 });
    expect(player.state()).toMatchObject({ heard: { id: 2, phase: 'opening' }, attempts: { failed: 1 } });
    expect(counts()).toEqual([1, 1]);
  });

  test('is opened again if it ends between two attempts', () => {
    player.besideReports('unopened');
    player.reports('lost');
    player.passes(MINUTE_MS);
    expect(counts()).toEqual([2, 1]);
  });

  test('is not replaced at once soon after the last replacement', () => {
    player.besideReports('sounding');
    player.passes(9_000);
    player.reports('supplyEnded');
    expect(counts()).toEqual([1, 1]);
    player.passes(1_000);
    expect(counts()).toEqual([1, 2]);
  });

  test('is replaced at once when the network is back', () => {
    player.besideReports('unopened');
    player.send({ type: 'cameBack' });
    player.send({ type: 'cameBack' });
    expect(counts()).toEqual([1, 2]);
  });

  test('is kept while no token can replace it', () => {
    player.besideReports('unopened');
    player.learns(null);
    player.passes(MINUTE_MS);
    player.send({ type: 'cameBack' });
    expect(player.state()).toMatchObject({ heard: { id: 1 }, beside: null });
    expect(counts()).toEqual([1, 1]);
  });
});

describe('sound behind the live edge', () => {
  beforeEach(() => {
    playing();
    player.passes(MINUTE_MS);
  });

  test('by up to five seconds is accepted', () => {
    player.reports({ behindSeconds: 5 });
    expect(counts()).toEqual([1, 0]);
  });

  test('by more joins the live edge again over a new connection', () => {
    player.reports({ behindSeconds: 6 });
    player.reports('supplyResumed');
    expect(counts()).toEqual([1, 1]);
    player.besideReports('sounding');
    expect(player.state().heard).toMatchObject({ id: 2, behindSeconds: 0 });
  });

  test('by more is accepted without a valid token', () => {
    player.learns(null);
    player.reports({ behindSeconds: 12 });
    expect(counts()).toEqual([1, 0]);
  });
});

describe('another tab that plays', () => {
  test('ends the sound here without a word to the others', () => {
    playing();
    player.send({ type: 'otherTabPlayed' });
    expect(player.effects.at(-1)).toEqual({ type: 'close', id: 1 });
    player.pause();
    expect(player.state()).toMatchObject({ wanted: false, stoppedBy: 'otherTab' });
    player.send({ type: 'otherTabStopped' });
    expect(player.state().stoppedBy).toBe('partner');
  });

  test('is no concern of a tab at rest', () => {
    player.send({ type: 'otherTabPlayed' });
    expect(player.state().stoppedBy).toBe('partner');
  });
});

test('a silent programme stays silent over another connection until sound is measured', () => {
  playing();
  player.reports('silent');
  player.reports('supplyEnded');
  player.besideReports('sounding');
  expect(player.state().silent).toBe(true);
  player.reports('audible');
  expect(player.state().silent).toBe(false);
});
