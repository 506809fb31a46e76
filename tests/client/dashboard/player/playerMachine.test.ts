import { beforeEach, describe, expect, test } from 'vitest';
import { isLost } from '../../../../client/dashboard/player/playerState.ts';
import { BASE, type TestPlayer, testPlayer } from './testPlayer.ts';

const MINUTE_MS = 60_000;
const LIFETIME_MS = 20 * MINUTE_MS;
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

/** Sound plays past the token's expiry, and is lost then. */
function lostWithoutToken(): void {
  playing();
  player.passes(LIFETIME_MS);
  player.reports('lost');
}

const opened = () => player.opened('open');
const besides = () => player.opened('openBeside');
const counts = () => [opened().length, besides().length];
const creations = () => player.effectsOf('createToken').length;

describe('play', () => {
  test('opens the stream’s base address directly followed by the current token', () => {
    playing();
    player.pause();
    expect(player.effectsOf('close')).toEqual([{ type: 'close', id: 1 }]);
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

  test('is told to analytics once it sounds', () => {
    player.play();
    expect(player.effectsOf('trackPlay')).toHaveLength(0);
    player.reports('sounding');
    player.reports('lost');
    player.passes(300);
    player.reports('sounding');
    expect(player.effectsOf('trackPlay')).toHaveLength(1);
  });

  test('pressed twice within 0.4 s does not pause', () => {
    player.play();
    player.passes(399);
    player.send({ type: 'pausePressed' });
    expect(player.state().wanted).toBe(true);
    player.passes(1);
    player.send({ type: 'pausePressed' });
    expect(player.state().wanted).toBe(false);
  });
});

describe('a lost connection', () => {
  test('is opened again within 0.3 s', () => {
    playing();
    player.reports('lost');
    expect(counts()).toEqual([1, 0]);
    player.passes(300);
    expect(counts()).toEqual([2, 0]);
  });

  test.each([
    [0, [667, 1_333, 2_667, 5_333, 7_500, 7_500]],
    [0.5, [1_000, 2_000, 4_000, 8_000, 11_250, 11_250]],
    [1, [1_333, 2_667, 5_333, 10_667, 15_000, 15_000]],
  ])('is opened again after waits that a chance of %d spreads to %j', (chance, waits) => {
    player = testPlayer({ chance: () => chance });
    player.play();
    for (const waitMs of waits) {
      const before = opened().length;
      player.doesNotOpen('none');
      player.passes(waitMs - 2);
      expect(opened()).toHaveLength(before);
      player.passes(3);
      expect(opened()).toHaveLength(before + 1);
    }
  });

  test('is opened again every 30 s at the latest after five minutes', () => {
    player = testPlayer({ chance: () => 1 });
    player.play();
    for (let minute = 0; minute < 10; minute += 1) {
      player.doesNotOpen('fault');
      player.passes(30_001);
      expect(player.state().heard?.phase).toBe('opening');
    }
    player.doesNotOpen('fault');
    player.passes(29_000);
    expect(player.state().heard).toBeNull();
  });

  test('is opened with the token of that moment', () => {
    playing();
    player.reports('noOutput');
    player.learns('second==');
    player.passes(MINUTE_MS);
    expect(opened()).toEqual([FIRST, SECOND]);
  });

  test('counts as a new loss after ten seconds of sound', () => {
    playing();
    const lostAfter = (soundMs: number) => {
      player.passes(soundMs);
      player.reports('lost');
      player.passes(300);
      const isOpen = player.state().heard !== null;
      player.passes(15_000);
      player.reports('sounding');
      return isOpen;
    };
    expect([lostAfter(1_000), lostAfter(9_999), lostAfter(10_000)]).toEqual([true, false, true]);
  });

  test('stays closed after a pause', () => {
    playing();
    player.passes(1_000);
    player.reports('noOutput');
    player.send({ type: 'pausePressed' });
    player.passes(MINUTE_MS);
    expect(counts()).toEqual([1, 0]);
  });

  test.each([
    ['after 5 s without progress', 0, 5_000],
    ['after 15 s where no token could open another', LIFETIME_MS, 15_000],
  ])('is noticed %s', (_, ageMs, allowedMs) => {
    playing();
    player.passes(ageMs);
    player.reports({ stalledMs: allowedMs - 1, hasData: false });
    expect(player.state().heard).not.toBeNull();
    player.reports({ stalledMs: allowedMs, hasData: false });
    expect(player.effects).toContainEqual({ type: 'close', id: 1 });
  });

  test('that never sounded is noticed after 15 s', () => {
    player.play();
    player.reports({ stalledMs: 14_999, hasData: false });
    expect(player.state().attempts.failed).toBe(0);
    player.reports({ stalledMs: 15_000, hasData: false });
    expect(player.state().attempts).toMatchObject({ failed: 1, answer: null });
  });

  test('is blamed on this computer if data is buffered', () => {
    playing();
    player.reports({ stalledMs: 5_000, hasData: true });
    expect(player.state().attempts.answer).toBe('noOutput');
  });
});

describe('a connection that does not open', () => {
  beforeEach(() => player.play());

  test('is asked for the cause while the next attempt waits', () => {
    player.reports('unopened');
    expect(player.opened('askWhy')).toEqual([FIRST]);
    player.passes(1_000);
    expect(counts()).toEqual([2, 0]);
  });

  test('is not tried again after two readable refusals in a row', () => {
    const sequence = ['refused', 'fault', 'refused', 'unreadable', 'refused'] as const;
    for (const answer of sequence) {
      player.doesNotOpen(answer);
      player.passes(15_000);
    }
    expect(counts()).toEqual([6, 0]);
    player.doesNotOpen('refused');
    player.passes(10 * MINUTE_MS);
    expect(player.state()).toMatchObject({ wanted: true, obstacle: 'refused' });
    expect(counts()).toEqual([6, 0]);
    player.play();
    expect(counts()).toEqual([7, 0]);
  });

  test.each(['fault', 'notAudio', 'unreadable', 'none'] as const)(
    'is tried for as long as its token is valid if the answer is %s',
    (answer) => {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        player.doesNotOpen(answer);
        player.passes(30_000);
        expect(player.state().heard?.phase).toBe('opening');
      }
    },
  );

  test('is no concern of a later play', () => {
    player.reports('unopened');
    player.pause();
    player.play();
    player.send({ type: 'answerLearned', id: 1, answer: 'refused' });
    expect(player.state().attempts.answer).toBeNull();
  });
});

describe('a gap', () => {
  beforeEach(playing);

  test('of less than half a second changes nothing', () => {
    player.reports('waiting');
    player.passes(499);
    player.reports('sounding');
    player.passes(MINUTE_MS);
    expect([isLost(player.state()), player.state().dropout.kind, counts()]).toEqual([false, 'none', [1, 0]]);
  });

  test.each([
    ['that the element tells', () => player.reports('waiting')],
    ['that it does not tell', () => player.reports({ stalledMs: 500, hasData: false })],
  ])('%s is a loss after half a second', (_, begin) => {
    begin();
    player.passes(500);
    expect(isLost(player.state())).toBe(true);
    player.passes(2_000);
    player.reports('sounding');
    expect(player.state().dropout).toMatchObject({ kind: 'over' });
  });
});

test('sound missed while the machine slept is a dropout', () => {
  playing();
  player.passes(MINUTE_MS);
  player.reports({ missedMs: 40_000 });
  expect(player.state().dropout).toMatchObject({ kind: 'over', lastedMs: 40_000 });
});

describe('lost sound without a valid token', () => {
  beforeEach(lostWithoutToken);

  test('stays wanted, and nothing is tried', () => {
    player.passes(MINUTE_MS);
    expect(player.state().wanted).toBe(true);
    expect(isLost(player.state())).toBe(true);
    expect(counts()).toEqual([1, 0]);
  });

  test.each([
    ['made here', () => player.created('second==')],
    ['made in another tab', () => player.learns('second==')],
  ])('plays with the next token %s', (_, act) => {
    player.send({ type: 'creationBegan' });
    act();
    expect(opened()).toEqual([FIRST, SECOND]);
  });

  test('does not play with the next token after the waiting ended', () => {
    player.pause();
    player.learns('second==');
    expect(counts()).toEqual([1, 0]);
  });

  test('makes no token that nobody ordered', () => {
    player.passes(60 * MINUTE_MS);
    expect(creations()).toBe(0);
  });
});

describe('a token ordered beforehand', () => {
  beforeEach(() => {
    player.send({ type: 'creationOrdered', beforehand: true });
  });

  test('is made within 0.3 s of a loss without a valid token, and played', () => {
    lostWithoutToken();
    player.passes(300);
    expect(creations()).toBe(1);
    player.created('second==');
    expect(opened()).toEqual([FIRST, SECOND]);
  });

  test('is made while buffered sound still plays, but not for a moment without data', () => {
    playing();
    player.passes(LIFETIME_MS);
    player.reports('supplyEnded');
    player.passes(400);
    player.reports('supplyEnded');
    player.passes(100);
    expect(creations()).toBe(0);
    player.reports('supplyEnded');
    player.passes(300);
    expect(creations()).toBe(1);
    player.created('second==');
    player.passes(300);
    expect([opened(), besides()]).toEqual([[FIRST], [SECOND]]);
  });

  test('is made again after 30, 60, 120, 300 and 300 s, and not before the server allows it', () => {
    lostWithoutToken();
    const waits: number[] = [];
    for (const retryAfterSeconds of [0, 0, 200, 0, 0]) {
      player.passes(300);
      player.creationFailed(retryAfterSeconds);
      const [before, startMs] = [creations(), player.nowMs()];
      while (creations() === before) player.passes(100);
      waits.push(Math.round((player.nowMs() - startMs) / 10_000) * 10);
    }
    expect(waits).toEqual([30, 60, 200, 300, 300]);
  });

  test.each([
    ['two readable refusals', 'refused', 2],
    ['four unreadable answers', 'unreadable', 4],
  ] as const)('is made after %s of sound that played', (_, answer, times) => {
    playing();
    player.passes(MINUTE_MS);
    player.reports('lost');
    for (let time = 1; time <= times; time += 1) {
      expect(creations()).toBe(0);
      player.passes(15_000);
      player.doesNotOpen(answer);
    }
    player.passes(300);
    expect(creations()).toBe(1);
  });

  test.each<[string, () => void]>([
    [
      'a pause',
      () => {
        lostWithoutToken();
        player.send({ type: 'pausePressed' });
      },
    ],
    [
      'a refusal before any sound',
      () => {
        player.play();
        player.doesNotOpen('refused');
        player.passes(15_000);
        player.doesNotOpen('refused');
      },
    ],
    [
      'another tab’s play',
      () => {
        playing();
        player.passes(LIFETIME_MS);
        player.send({ type: 'otherTabPlayed', claim: { epochMs: Number.MAX_SAFE_INTEGER, chance: 0 } });
      },
    ],
    [
      'a reload',
      () => {
        player.send({ type: 'pageReloaded' });
        player.passes(LIFETIME_MS);
      },
    ],
    [
      'a pause from outside',
      () => {
        playing();
        player.passes(LIFETIME_MS);
        player.reports('paused');
      },
    ],
  ])('is not made after %s', (_, act) => {
    act();
    player.passes(10 * MINUTE_MS);
    expect(creations()).toBe(0);
  });
});

describe('when the network or the page is back', () => {
  test('the next attempt comes at once', () => {
    playing();
    player.reports('noOutput');
    player.send({ type: 'cameBack' });
    player.send({ type: 'retryPressed' });
    player.passes(10_000);
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
    ['kept if the token has expired', LIFETIME_MS, 1],
    ['replaced if the token is valid', 0, 2],
  ])('a connection that waits for data is %s', (_, ageMs, connections) => {
    playing();
    player.passes(ageMs);
    player.reports('waiting');
    player.send({ type: 'cameBack' });
    expect(opened()).toHaveLength(connections);
  });
});

describe('while the partner creates a token', () => {
  const begin = () => player.send({ type: 'creationBegan' });

  test('the connection that is heard is held until the creation fails', () => {
    playing();
    begin();
    player.passes(LIFETIME_MS);
    player.creationFailed();
    expect(player.effects.slice(-2)).toEqual([
      { type: 'hold', id: 1 },
      { type: 'release', id: 1 },
    ]);
    expect(player.state()).toMatchObject({ wanted: true, held: false, heard: { phase: 'sounding' } });
  });

  test('what the held connection reports is kept', () => {
    playing();
    begin();
    player.reports('waiting');
    player.reports({ behindSeconds: 12 });
    player.creationFailed();
    player.passes(500);
    expect(isLost(player.state())).toBe(true);
    expect(player.state().heard?.behindSeconds).toBe(12);
  });

  test('a held connection that ends is opened again if the creation fails', () => {
    playing();
    begin();
    player.reports('lost');
    player.passes(10_000);
    expect(counts()).toEqual([1, 0]);
    player.creationFailed();
    expect(counts()).toEqual([2, 0]);
  });

  test('the creation of a token for sound that is heard ends in the partner’s pause', () => {
    playing();
    begin();
    player.created('second==');
    expect(player.state().wanted).toBe(false);
    expect(counts()).toEqual([1, 0]);
  });

  test.each([
    ['is lost', () => player.reports('lost'), [2, 0]],
    ['waits for data', () => void (player.reports('waiting') ?? player.passes(500)), [1, 1]],
    ['is silent', () => player.reports('silent'), [1, 1]],
    ['is paused from outside', () => player.reports('paused'), [1, 1]],
  ])('sound that %s plays with the new token at once', (_, lose, connections) => {
    playing();
    lose();
    begin();
    player.created('second==');
    player.passes(300);
    expect([opened(), besides()].flat().at(-1)).toBe(SECOND);
    expect(counts()).toEqual(connections);
  });

  test('sound stays off after another tab’s play', () => {
    playing();
    begin();
    player.send({ type: 'otherTabPlayed', claim: { epochMs: Number.MAX_SAFE_INTEGER, chance: 0 } });
    player.creationFailed();
    expect(player.state()).toMatchObject({ wanted: false, otherTabPlays: true });
  });
});

describe('a connection over which no more data comes', () => {
  beforeEach(() => {
    playing();
    player.passes(MINUTE_MS);
    player.reports('supplyEnded');
    player.passes(300);
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
    player.passes(300);
    expect(counts()).toEqual([1, 2]);
  });

  test('leaves its place to the one that opens beside it', () => {
    player.reports('lost');
    expect(player.effects.at(-2)).toEqual({ type: 'swap', id: 2 });
    player.passes(10_000);
    expect(player.state()).toMatchObject({ heard: { id: 2, phase: 'opening' }, attempts: { failed: 1 } });
    expect(counts()).toEqual([1, 1]);
  });

  test('is opened again if it ends between two attempts', () => {
    player.besideReports('unopened');
    player.reports('lost');
    player.passes(10_000);
    expect(counts()).toEqual([2, 1]);
  });

  test('is not replaced at once soon after the last replacement', () => {
    player.besideReports('sounding');
    player.passes(9_000);
    player.reports('supplyEnded');
    player.passes(300);
    expect(counts()).toEqual([1, 1]);
    player.passes(700);
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
    player.passes(300);
    player.reports('supplyResumed');
    expect(counts()).toEqual([1, 1]);
    player.besideReports('sounding');
    expect(player.state().heard).toMatchObject({ id: 2, behindSeconds: 0 });
  });

  test('by more is accepted without a valid token', () => {
    player.learns(null);
    player.reports({ behindSeconds: 12 });
    player.passes(300);
    expect(counts()).toEqual([1, 0]);
  });
});

describe('a pause from outside', () => {
  beforeEach(() => {
    playing();
    player.passes(MINUTE_MS);
    player.reports('paused');
  });

  test('keeps the connection for a minute', () => {
    player.passes(MINUTE_MS - 1);
    expect(player.effectsOf('close')).toHaveLength(0);
    player.passes(1);
    expect(player.effectsOf('close')).toHaveLength(1);
    player.passes(10 * MINUTE_MS);
    expect(player.state()).toMatchObject({ wanted: true, obstacle: 'pausedOutside' });
    expect(counts()).toEqual([1, 0]);
  });

  test('is over when the browser resumes the element', () => {
    player.passes(30_000);
    player.reports('sounding');
    expect(player.state()).toMatchObject({ obstacle: null, heard: { id: 1, phase: 'sounding' } });
  });

  test('is over at a press, at the live edge', () => {
    player.play();
    expect(counts()).toEqual([2, 0]);
  });

  test('is over at a press without a valid token, over the same connection', () => {
    player.learns(null);
    player.play();
    expect(player.effectsOf('resume')).toEqual([{ type: 'resume', id: 1 }]);
    expect(counts()).toEqual([1, 0]);
  });
});

test('a play that the browser forbids waits for a press or another token', () => {
  playing();
  player.reports('lost');
  player.passes(300);
  player.reports('blocked');
  player.passes(10 * MINUTE_MS);
  expect(player.state()).toMatchObject({ wanted: true, obstacle: 'blocked' });
  expect(counts()).toEqual([2, 0]);
  player.learns('second==');
  expect(counts()).toEqual([3, 0]);
});

describe('a page that is loaded again while sound is wanted', () => {
  test('lets go of the connection and remembers the wish', () => {
    playing();
    player.send({ type: 'pageLeft' });
    expect(player.effectsOf('close')).toHaveLength(1);
    expect(player.effects.at(-1)).toEqual({ type: 'tellOtherTabs', claim: null });
    expect(player.effectsOf('remember')).toEqual([{ type: 'remember', wanted: true }]);
  });

  test('does not play by itself', () => {
    player.send({ type: 'pageReloaded' });
    player.learns('second==');
    player.passes(10 * MINUTE_MS);
    expect(player.state()).toMatchObject({ wanted: true, obstacle: 'reloaded' });
    expect(counts()).toEqual([0, 0]);
    player.learns('third==');
    player.play();
    expect(counts()).toEqual([1, 0]);
  });
});

describe('another tab that plays', () => {
  const otherPlays = (claim: { epochMs: number; chance: number }) =>
    player.send({ type: 'otherTabPlayed', claim });
  const claim = () => player.state().claim ?? { epochMs: 0, chance: 0 };

  test('ends the sound here without a word to the others', () => {
    playing();
    otherPlays({ ...claim(), epochMs: claim().epochMs + 1 });
    expect(player.state()).toMatchObject({ wanted: false, otherTabPlays: true });
    expect(player.effectsOf('tellOtherTabs')).toHaveLength(1);
    player.send({ type: 'otherTabStopped' });
    expect(player.state().otherTabPlays).toBe(false);
  });

  test.each([
    [-1, 0, 'plays'],
    [1, 0, 'plays there'],
    [0, -0.1, 'plays'],
    [0, 0.1, 'plays there'],
    [-2_001, 0, 'plays there'],
  ])('and was pressed %i ms later, by chance %d: the sound %s', (laterMs, chance, who) => {
    playing();
    const own = claim();
    otherPlays({ epochMs: own.epochMs + laterMs, chance: own.chance + chance });
    expect(player.state().wanted).toBe(who === 'plays');
  });

  test('is no concern of a tab at rest', () => {
    otherPlays({ epochMs: 0, chance: 0 });
    expect(player.state().otherTabPlays).toBe(false);
  });
});

test('a silent programme stays silent over another connection until sound is measured', () => {
  playing();
  player.reports('silent');
  player.reports('supplyEnded');
  player.passes(300);
  player.besideReports('sounding');
  expect(player.state().silent).toBe(true);
  player.reports('audible');
  expect(player.state().silent).toBe(false);
});
