import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AudioReport } from '../../../../client/dashboard/player/audioPlayer.ts';
import { createPlayer, type Player } from '../../../../client/dashboard/player/player.ts';
import type { Refusal } from '../../../../client/dashboard/player/playerState.ts';

const track = vi.hoisted(() => vi.fn());
vi.mock('../../../../client/analytics/track.ts', () => ({ track }));

const ENDS: AudioReport[] = ['blocked', 'unopened', 'lost', 'noOutput', 'pausedElsewhere'];
const BASE = 'https://audio.example/live?sign=';

let token: string | null;
let open: string | null;
let opened: string[];
/** The addresses of replacements that were opened, in order. */
let replacements: string[];
/** Calls of `hold`, `resume` and `cancelReplacement`, in order. */
let told: string[];
/** The questions why a stream does not open, each with a function that answers it. */
let asked: { address: string; answer: (refusal: Refusal) => Promise<void> }[];
let report: (what: AudioReport) => void;
let player: Player;

beforeEach(() => {
  vi.useFakeTimers();
  track.mockReset();
  token = 'first==';
  open = null;
  opened = [];
  replacements = [];
  told = [];
  asked = [];
  player = createPlayer(
    () => token,
    (tell) => {
      report = (what) => {
        if (typeof what === 'string' && ENDS.includes(what)) open = null;
        tell(what);
      };
      return {
        attach: () => () => undefined,
        open: (address) => {
          open = address;
          opened.push(address);
        },
        replace: (address) => replacements.push(address),
        cancelReplacement: () => told.push('cancelReplacement'),
        hold: () => told.push('hold'),
        resume: () => {
          told.push('resume');
          return open === null ? 'gone' : 'sounding';
        },
        peak: () => null,
        close: () => {
          open = null;
        },
      };
    },
    (address) =>
      new Promise((resolve) => {
        const answer = async (refusal: Refusal) => {
          resolve(refusal);
          await vi.advanceTimersByTimeAsync(0);
        };
        asked.push({ address, answer });
      }),
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
  token = 'second==';
  player.play();
  expect(opened).toEqual([`${BASE}first==`, `${BASE}second==`]);
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
  expect(player.state().kind).toBe('connecting');
  expect(opened).toEqual([]);
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([`${BASE}first==`]);
});

test('a pause while play waits for the stream’s base address cancels the play', () => {
  player.play();
  player.pause();
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([]);
});

test('pause closes the connection', () => {
  playing();
  player.pause();
  expect(open).toBeNull();
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('a lost stream is opened again at once, then after a delay, with the token that is current by then', () => {
  playing();
  report('lost');
  expect(player.state()).toMatchObject({ kind: 'reconnecting', attempt: 1 });
  expect(opened).toHaveLength(2);
  token = 'second==';
  report('lost');
  vi.advanceTimersByTime(1_999);
  expect(opened).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(opened.slice(1)).toEqual([`${BASE}first==`, `${BASE}second==`]);
  report('sounding');
  expect(player.state()).toMatchObject({ kind: 'playing' });
});

test('the player stops trying when the token expires between two attempts', () => {
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
  expect(player.state().kind).toBe('paused');
});

test.each<[AudioReport, object]>([
  ['waiting', { kind: 'buffering' }],
  ['blocked', { kind: 'paused', because: 'blocked' }],
  ['pausedElsewhere', { kind: 'paused', because: 'asked' }],
])('when the audio reports %s, the state is %o and no connection is opened', (what, state) => {
  playing();
  report(what);
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

test('a play is reported to analytics when sound plays, and only once however often the stream is lost', () => {
  player.streamBaseLearned(BASE);
  player.play();
  expect(track).not.toHaveBeenCalled();
  report('sounding');
  expect(track.mock.calls).toEqual([['play']]);
  report('waiting');
  report('sounding');
  report('lost');
  vi.advanceTimersByTime(1_000);
  report('sounding');
  expect(track).toHaveBeenCalledTimes(1);
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

  test('is asked once for its status, and the player stays connecting meanwhile', () => {
    vi.advanceTimersByTime(4_000);
    expect(asked.map(({ address }) => address)).toEqual([`${BASE}first==`]);
    expect(opened).toHaveLength(1);
    expect(player.state()).toEqual({ kind: 'connecting' });
  });

  test('is not tried again after a certain refusal', async () => {
    await asked[0]?.answer('certain');
    expect(player.state()).toEqual({ kind: 'refused' });
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(opened).toHaveLength(1);
  });

  test('does not become refused by an answer that comes after a pause or another play', async () => {
    player.pause();
    await asked[0]?.answer('certain');
    expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
    player.play();
    report('unopened');
    player.pause();
    player.play();
    await asked[1]?.answer('certain');
    expect(player.state()).toEqual({ kind: 'connecting' });
  });
});

test('a stream that opened and was lost is not asked for its status', () => {
  playing();
  report('lost');
  expect(asked).toEqual([]);
});

describe('retryNow', () => {
  test('tries again at once, and only once', () => {
    playing();
    report('noOutput');
    player.retryNow();
    expect(opened).toHaveLength(2);
    player.retryNow();
    vi.advanceTimersByTime(60_000);
    expect(opened).toHaveLength(2);
  });

  test('disturbs neither a playing stream, nor one that is opening, nor a pause', () => {
    player.streamBaseLearned(BASE);
    player.retryNow();
    expect(opened).toEqual([]);
    player.play();
    player.retryNow();
    report('sounding');
    player.retryNow();
    expect(opened).toHaveLength(1);
    player.pause();
    player.retryNow();
    expect(opened).toHaveLength(1);
  });

  test('keeps a connection that waits for data if the token has expired', () => {
    playing();
    report('waiting');
    token = null;
    player.retryNow();
    expect(open).toBe(`${BASE}first==`);
    expect(player.state()).toMatchObject({ kind: 'buffering' });
  });

  test('replaces a connection that waits for data if the token is valid', () => {
    playing();
    report('waiting');
    player.retryNow();
    expect(opened).toHaveLength(2);
    expect(player.state()).toMatchObject({ kind: 'buffering' });
    report('sounding');
    expect(player.state()).toMatchObject({ kind: 'playing' });
  });
});

describe('while a token is being created', () => {
  beforeEach(() => {
    playing();
    player.hold();
  });

  test('the sound is paused; if the creation fails, it goes on over the same connection', () => {
    expect(player.state()).toEqual({ kind: 'paused', because: 'creation' });
    expect([open, told]).toEqual([`${BASE}first==`, ['hold']]);
    token = null;
    player.resume();
    expect(player.state()).toMatchObject({ kind: 'playing' });
    expect(opened).toEqual([`${BASE}first==`]);
    expect(track).toHaveBeenCalledTimes(1);
  });

  test('a lost connection is opened again if the creation fails', () => {
    open = null;
    player.resume();
    expect(player.state()).toEqual({ kind: 'connecting' });
    expect(opened).toHaveLength(2);
  });

  test('a lost connection stays lost if the creation fails and the old token has expired', () => {
    open = null;
    token = null;
    player.resume();
    expect(player.state()).toEqual({ kind: 'paused', because: 'lost' });
    expect(opened).toHaveLength(1);
  });

  test('a failed creation starts no sound after a pause, or while another tab plays', () => {
    player.pause();
    player.resume();
    expect([open, told]).toEqual([null, ['hold']]);
    playing();
    player.hold();
    player.otherTab('play');
    expect(player.state()).toEqual({ kind: 'paused', because: 'otherTab' });
    player.resume();
    expect([open, told]).toEqual([null, ['hold', 'hold']]);
  });
});

test('a reconnection waits while a token is being created, and goes on if the creation fails', () => {
  playing();
  report('noOutput');
  player.hold();
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  player.resume();
  expect(opened).toHaveLength(2);
});

test('a failed creation starts no sound that was not playing before', () => {
  player.streamBaseLearned(BASE);
  player.hold();
  player.resume();
  expect([opened, told]).toEqual([[], []]);
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('the delays between attempts grow while sound comes and goes, and start again after ten seconds of sound', () => {
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

test('a token created in another tab removes the notice about the old token', async () => {
  player.tokenLearned('first==');
  player.streamBaseLearned(BASE);
  player.play();
  report('unopened');
  await asked[0]?.answer('certain');
  player.tokenLearned('first==');
  expect(player.state()).toEqual({ kind: 'refused' });
  player.tokenLearned('second==');
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('another tab that plays stops this one, which closes its connection and cancels its next attempt', () => {
  playing();
  player.otherTab('play');
  expect(open).toBeNull();
  expect(player.state()).toEqual({ kind: 'paused', because: 'otherTab' });
  player.play();
  report('noOutput');
  player.otherTab('play');
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(2);
});

describe('a connection over which no more data comes', () => {
  beforeEach(() => {
    playing();
    vi.advanceTimersByTime(60_000);
    report('supplyEnded');
  });

  test('is replaced at once, and only once, while the page shows it as playing', () => {
    report('supplyEnded');
    expect(replacements).toEqual([`${BASE}first==`]);
    expect(opened).toHaveLength(1);
    report('replaced');
    expect(player.state()).toMatchObject({ kind: 'playing' });
    expect(player.dropout()).toEqual({ kind: 'none' });
  });

  test('is replaced at the next attempt, after a growing delay', () => {
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
    expect(told).toEqual(['cancelReplacement']);
    report('supplyEnded');
    expect(replacements).toHaveLength(2);
  });

  test('is not replaced any more after a pause', () => {
    report('notReplaced');
    player.pause();
    vi.advanceTimersByTime(60_000);
    expect(replacements).toHaveLength(1);
  });

  test('that ends while its replacement opens leaves the attempt to that one', () => {
    report('lost');
    expect(player.state()).toMatchObject({ kind: 'reconnecting', attempt: 1 });
    vi.advanceTimersByTime(10_000);
    expect(opened).toHaveLength(1);
    report('sounding');
    expect(player.state()).toMatchObject({ kind: 'playing' });
  });

  test('that ends between two attempts is opened again', () => {
    report('notReplaced');
    report('lost');
    vi.advanceTimersByTime(60_000);
    expect(opened).toHaveLength(2);
    expect(replacements).toHaveLength(1);
  });

  test('soon after its replacement waits before the next one', () => {
    report('replaced');
    vi.advanceTimersByTime(9_000);
    report('supplyEnded');
    expect(replacements).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(replacements).toHaveLength(2);
  });

  test('is tried again at once when the network is back', () => {
    report('notReplaced');
    player.retryNow();
    player.retryNow();
    expect(replacements).toHaveLength(2);
    expect(opened).toHaveLength(1);
  });

  test('is dry once no token can replace it, until data arrives', () => {
    report('notReplaced');
    token = null;
    vi.advanceTimersByTime(1_000);
    expect(player.state()).toMatchObject({ kind: 'dry' });
    player.retryNow();
    expect(open).not.toBeNull();
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

  test('by up to five seconds is left alone', () => {
    report({ behindSeconds: 5 });
    expect(replacements).toEqual([]);
    expect(player.state()).toMatchObject({ behindSeconds: 0 });
  });

  test('by more joins the live edge again over a new connection', () => {
    report({ behindSeconds: 6 });
    report('supplyResumed');
    expect([replacements, told]).toEqual([[`${BASE}first==`], []]);
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

  test('says by how much without a valid token, also after it ran dry', () => {
    token = null;
    report({ behindSeconds: 12 });
    expect(player.state()).toMatchObject({ kind: 'playing', behindSeconds: 12 });
    report('waiting');
    report('sounding');
    expect(player.state()).toMatchObject({ kind: 'playing', behindSeconds: 12 });
    expect(replacements).toEqual([]);
  });
});

test('a programme that falls silent is shown as silent until it is heard again', () => {
  playing();
  report('silent');
  expect(player.state()).toMatchObject({ kind: 'silent' });
  report('audible');
  expect(player.state()).toMatchObject({ kind: 'playing' });
});
