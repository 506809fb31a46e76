import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AudioReport } from '../../../../client/dashboard/player/audioPlayer.ts';
import { createPlayer, type Player } from '../../../../client/dashboard/player/player.ts';
import type { Refusal } from '../../../../client/dashboard/player/playerState.ts';

const track = vi.hoisted(() => vi.fn());
vi.mock('../../../../client/analytics/track.ts', () => ({ track }));

const ENDS: AudioReport[] = ['blocked', 'unopened', 'lost', 'noOutput', 'pausedElsewhere'];
const BASE = 'https://audio.example/live?sign=';
const FIRST = `${BASE}first==`;
const SECOND = `${BASE}second==`;

let token: string | null;
/** The address of the open connection. */
let open: string | null;
/** Every address that was opened, and every one that was to replace it, in order. */
let opened: string[];
let replacements: string[];
let report: (what: AudioReport) => void;
/** Answers why a stream does not open. */
let answerWhy: (refusal: Refusal) => Promise<void>;
let player: Player;

const audio = { hold: vi.fn(), cancelReplacement: vi.fn() };
const whyUnopened = vi.fn(
  (_address: string) =>
    new Promise<Refusal>((resolve) => {
      answerWhy = async (refusal) => {
        resolve(refusal);
        await vi.advanceTimersByTimeAsync(0);
      };
    }),
);

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  token = 'first==';
  open = null;
  opened = [];
  replacements = [];
  player = createPlayer(
    () => token,
    (tell) => {
      report = (what) => {
        if (typeof what === 'string' && ENDS.includes(what)) open = null;
        tell(what);
      };
      return {
        ...audio,
        attach: () => () => undefined,
        open: (address) => {
          open = address;
          opened.push(address);
        },
        replace: (address) => replacements.push(address),
        resume: () => (open === null ? 'gone' : 'sounding'),
        peak: () => null,
        close: () => {
          open = null;
        },
      };
    },
    whyUnopened,
  );
});

afterEach(() => {
  vi.useRealTimers();
});

function playing(): void {
  player.streamBaseLearned(BASE);
  player.play();
  report('sounding');
}

test('play opens the stream’s base address directly followed by the current token', () => {
  playing();
  player.pause();
  expect(open).toBeNull();
  token = 'second==';
  player.play();
  expect(opened).toEqual([FIRST, SECOND]);
});

test('play without a valid token does nothing', () => {
  player.streamBaseLearned(BASE);
  token = null;
  player.play();
  expect(opened).toEqual([]);
  expect(player.state().kind).toBe('paused');
});

test('play waits until the stream’s base address is known', () => {
  player.play();
  expect([player.state().kind, opened]).toEqual(['connecting', []]);
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([FIRST]);
});

test('a pause cancels a play that waits for the base address', () => {
  player.play();
  player.pause();
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([]);
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('the first attempt to reconnect comes at once', () => {
  playing();
  report('lost');
  expect(player.state()).toMatchObject({ kind: 'reconnecting', attempt: 1 });
  expect(opened).toHaveLength(2);
  token = 'second==';
  report('lost');
  vi.advanceTimersByTime(1_999);
  expect(opened).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(opened.slice(1)).toEqual([FIRST, SECOND]);
  expect(whyUnopened).not.toHaveBeenCalled();
});

test('reconnecting stops when the token expires between two attempts', () => {
  playing();
  report('noOutput');
  token = null;
  vi.advanceTimersByTime(1_000);
  expect(opened).toHaveLength(1);
  expect(player.state()).toEqual({ kind: 'paused', because: 'lost' });
});

test('a pause cancels a reconnection', () => {
  playing();
  report('noOutput');
  player.pause();
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
});

test.each<[AudioReport[], object]>([
  [['waiting'], { kind: 'buffering' }],
  [['blocked'], { kind: 'paused', because: 'blocked' }],
  [['pausedElsewhere'], { kind: 'paused', because: 'asked' }],
  [['silent'], { kind: 'silent' }],
  [['silent', 'audible'], { kind: 'playing' }],
])('the reports %j lead to the state %o without another connection', (reports, state) => {
  playing();
  for (const what of reports) report(what);
  vi.advanceTimersByTime(60_000);
  expect(player.state()).toMatchObject(state);
  expect(opened).toHaveLength(1);
});

test('listeners receive each change until they unsubscribe', () => {
  const seen: string[] = [];
  const unsubscribe = player.subscribe(() => seen.push(player.state().kind));
  playing();
  unsubscribe();
  player.pause();
  expect(seen).toEqual(['connecting', 'playing']);
});

test('analytics learns of each play once it sounds', () => {
  player.streamBaseLearned(BASE);
  player.play();
  expect(track).not.toHaveBeenCalled();
  report('sounding');
  report('lost');
  report('sounding');
  expect(track.mock.calls).toEqual([['play']]);
  player.pause();
  playing();
  expect(track).toHaveBeenCalledTimes(2);
});

describe('a stream that does not open', () => {
  beforeEach(() => {
    player.streamBaseLearned(BASE);
    player.play();
    report('unopened');
  });

  test('is asked once for its status', () => {
    vi.advanceTimersByTime(4_000);
    expect(whyUnopened.mock.calls).toEqual([[FIRST]]);
    expect(opened).toHaveLength(1);
    expect(player.state()).toEqual({ kind: 'connecting' });
  });

  test('is not tried again after a certain refusal', async () => {
    await answerWhy('certain');
    expect(player.state()).toEqual({ kind: 'refused' });
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(opened).toHaveLength(1);
  });

  test('ignores an answer that comes after another play', async () => {
    player.pause();
    player.play();
    await answerWhy('certain');
    expect(player.state()).toEqual({ kind: 'connecting' });
  });
});

describe('retryNow', () => {
  test('tries again at once', () => {
    playing();
    report('noOutput');
    player.retryNow();
    player.retryNow();
    vi.advanceTimersByTime(60_000);
    expect(opened).toHaveLength(2);
  });

  test('disturbs no connection that opens or plays', () => {
    player.streamBaseLearned(BASE);
    player.retryNow();
    expect(opened).toEqual([]);
    player.play();
    player.retryNow();
    report('sounding');
    player.retryNow();
    expect(opened).toHaveLength(1);
  });

  test.each([
    ['keeps a connection that waits for data if the token has expired', null, [FIRST]],
    ['replaces a connection that waits for data if the token is valid', 'second==', [FIRST, SECOND]],
  ])('%s', (_, tokenThen, addresses) => {
    playing();
    report('waiting');
    token = tokenThen;
    player.retryNow();
    expect(opened).toEqual(addresses);
    expect(player.state()).toMatchObject({ kind: 'buffering' });
  });
});

describe('while a token is being created', () => {
  beforeEach(() => {
    playing();
    player.hold();
  });

  test('the sound pauses until the creation fails', () => {
    expect(player.state()).toEqual({ kind: 'paused', because: 'creation' });
    expect(open).toBe(FIRST);
    expect(audio.hold).toHaveBeenCalledOnce();
    token = null;
    player.resume();
    expect(player.state()).toMatchObject({ kind: 'playing' });
    expect(opened).toEqual([FIRST]);
    expect(track).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['is opened again', 'first==', { kind: 'connecting' }, 2],
    ['stays lost without a valid token', null, { kind: 'paused', because: 'lost' }, 1],
  ])('a lost connection %s if the creation fails', (_, tokenThen, state, count) => {
    open = null;
    token = tokenThen;
    player.resume();
    expect(player.state()).toEqual(state);
    expect(opened).toHaveLength(count);
  });

  test.each<[string, () => void]>([
    ['a pause', () => player.pause()],
    ['a play in another tab', () => player.otherTab('play')],
  ])('%s keeps the sound from going on', (_, act) => {
    act();
    player.resume();
    expect([open, player.state().kind]).toEqual([null, 'paused']);
  });
});

test('a reconnection waits while a token is being created', () => {
  playing();
  report('noOutput');
  player.hold();
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  player.resume();
  expect(opened).toHaveLength(2);
});

test('delays between attempts grow until sound lasts ten seconds', () => {
  playing();
  const soundsFor = (soundMs: number, waitMs: number) => {
    vi.advanceTimersByTime(soundMs);
    const before = opened.length;
    report('lost');
    vi.advanceTimersByTime(waitMs - 1);
    expect(opened).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(opened).toHaveLength(before + 1);
    report('sounding');
  };
  report('lost');
  report('sounding');
  soundsFor(1_000, 2_000);
  soundsFor(9_999, 4_000);
  soundsFor(1_000, 8_000);
  soundsFor(1_000, 15_000);
  soundsFor(1_000, 15_000);
  vi.advanceTimersByTime(10_000);
  report('lost');
  report('sounding');
  soundsFor(1_000, 2_000);
});

test('another token removes the notice about the refused one', async () => {
  player.tokenLearned('first==');
  player.streamBaseLearned(BASE);
  player.play();
  report('unopened');
  await answerWhy('certain');
  player.tokenLearned('first==');
  expect(player.state()).toEqual({ kind: 'refused' });
  player.tokenLearned('second==');
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

describe('a connection over which no more data comes', () => {
  beforeEach(() => {
    playing();
    vi.advanceTimersByTime(60_000);
    report('supplyEnded');
  });

  test('is replaced once without a dropout', () => {
    report('supplyEnded');
    expect([opened, replacements]).toEqual([[FIRST], [FIRST]]);
    report('replaced');
    expect(player.state()).toMatchObject({ kind: 'playing' });
    expect(player.dropout()).toEqual({ kind: 'none' });
  });

  test('is replaced by a later attempt after a growing delay', () => {
    report('notReplaced');
    report('supplyEnded');
    vi.advanceTimersByTime(1_000);
    report('notReplaced');
    vi.advanceTimersByTime(1_999);
    expect(replacements).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(replacements).toHaveLength(3);
  });

  test('is not replaced if data arrives after all', () => {
    report('supplyResumed');
    expect(audio.cancelReplacement).toHaveBeenCalledOnce();
    report('supplyEnded');
    expect(replacements).toHaveLength(2);
  });

  test('leaves the attempt to its opening replacement if it ends', () => {
    report('lost');
    expect(player.state()).toMatchObject({ kind: 'reconnecting', attempt: 1 });
    vi.advanceTimersByTime(10_000);
    expect(opened).toHaveLength(1);
  });

  test('is opened again if it ends between two attempts', () => {
    report('notReplaced');
    report('lost');
    vi.advanceTimersByTime(60_000);
    expect([opened, replacements]).toEqual([[FIRST, FIRST], [FIRST]]);
  });

  test('waits before the next replacement soon after the last one', () => {
    report('replaced');
    vi.advanceTimersByTime(9_000);
    report('supplyEnded');
    expect(replacements).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(replacements).toHaveLength(2);
  });

  test('is replaced at once when the network is back', () => {
    report('notReplaced');
    player.retryNow();
    player.retryNow();
    expect([opened.length, replacements.length]).toEqual([1, 2]);
  });

  test('is kept as dry while no token can replace it', () => {
    report('notReplaced');
    token = null;
    vi.advanceTimersByTime(1_000);
    expect(player.state()).toMatchObject({ kind: 'dry' });
    player.retryNow();
    expect(open).toBe(FIRST);
    report('supplyEnded');
    expect(replacements).toHaveLength(1);
    report('supplyResumed');
    expect(player.state()).toMatchObject({ kind: 'playing' });
  });
});

describe('sound behind the live edge', () => {
  beforeEach(() => {
    playing();
    vi.advanceTimersByTime(60_000);
  });

  test('by up to five seconds is accepted', () => {
    report({ behindSeconds: 5 });
    expect(replacements).toEqual([]);
    expect(player.state()).toMatchObject({ behindSeconds: 0 });
  });

  test('by more joins the live edge again over a new connection', () => {
    report({ behindSeconds: 6 });
    report('supplyResumed');
    expect(replacements).toEqual([FIRST]);
    expect(audio.cancelReplacement).not.toHaveBeenCalled();
    report('replaced');
    expect(player.state()).toMatchObject({ kind: 'playing', behindSeconds: 0 });
  });

  test('says by how much while no new connection opens', () => {
    report({ behindSeconds: 12 });
    expect(player.state()).toMatchObject({ behindSeconds: 0 });
    report('notReplaced');
    report({ behindSeconds: 13 });
    expect(player.state()).toMatchObject({ behindSeconds: 13 });
  });

  test('says by how much without a valid token', () => {
    token = null;
    report({ behindSeconds: 12 });
    report('waiting');
    report('sounding');
    expect(player.state()).toMatchObject({ kind: 'playing', behindSeconds: 12 });
    expect(replacements).toEqual([]);
  });
});
