import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AudioReport } from '../../../client/dashboard/audioPlayer.ts';
import { createPlayer, type Player } from '../../../client/dashboard/player.ts';

const track = vi.hoisted(() => vi.fn());
vi.mock('../../../client/analytics/track.ts', () => ({ track }));

const BASE = 'https://audio.example/live?sign=';

let token: string | null;
let open: string | null;
let opened: string[];
let report: (what: AudioReport) => void;
let player: Player;

beforeEach(() => {
  vi.useFakeTimers();
  track.mockReset();
  token = 'first==';
  open = null;
  opened = [];
  player = createPlayer(
    () => token,
    (tell) => {
      report = (what) => {
        if (what !== 'sounding' && what !== 'dry') open = null;
        tell(what);
      };
      return {
        attach: () => () => undefined,
        open: (address) => {
          open = address;
          opened.push(address);
        },
        close: () => {
          open = null;
        },
      };
    },
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

test('play opens the base directly followed by the token of the moment', () => {
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

test('play before the stream’s base is known waits for it', () => {
  player.play();
  expect(player.state().kind).toBe('connecting');
  expect(opened).toEqual([]);
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([`${BASE}first==`]);
});

test('a pause while waiting for the stream’s base calls it off', () => {
  player.play();
  player.pause();
  player.streamBaseLearned(BASE);
  expect(opened).toEqual([]);
});

test('pause lets go of the connection', () => {
  playing();
  player.pause();
  expect(open).toBeNull();
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('a pause by the system is a pause like any other', () => {
  playing();
  report('pausedElsewhere');
  expect(player.state()).toEqual({ kind: 'paused', because: 'asked' });
});

test('a lost stream is connected anew after a while, with the token of that moment', () => {
  playing();
  report('lost');
  expect(player.state()).toEqual({ kind: 'reconnecting', attempt: 1 });
  token = 'second==';
  vi.advanceTimersByTime(999);
  expect(opened).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(opened).toEqual([`${BASE}first==`, `${BASE}second==`]);
  report('sounding');
  expect(player.state()).toEqual({ kind: 'playing' });
});

test('reconnecting is tried for as long as the token is valid, ever more patiently', () => {
  playing();
  const waits = [1_000, 2_000, 4_000, 8_000, 15_000, 15_000];
  for (const wait of waits) {
    const before = opened.length;
    report('lost');
    vi.advanceTimersByTime(wait - 1);
    expect(opened).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(opened).toHaveLength(before + 1);
  }
});

test('a stream lost after its token expired is not tried again', () => {
  playing();
  token = null;
  report('lost');
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  expect(player.state()).toEqual({ kind: 'paused', because: 'lost' });
});

test('a token that expires between two attempts ends them', () => {
  playing();
  report('lost');
  token = null;
  vi.advanceTimersByTime(1_000);
  expect(opened).toHaveLength(1);
  expect(player.state()).toEqual({ kind: 'paused', because: 'lost' });
});

test('a token that expires while it plays lets the audio go on', () => {
  playing();
  token = null;
  vi.advanceTimersByTime(60_000);
  expect(open).toBe(`${BASE}first==`);
  expect(player.state()).toEqual({ kind: 'playing' });
});

test('a pause calls a reconnection off', () => {
  playing();
  report('lost');
  player.pause();
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  expect(player.state().kind).toBe('paused');
});

test('an autoplay refusal leaves it paused and is not tried again', () => {
  player.streamBaseLearned(BASE);
  player.play();
  report('blocked');
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  expect(player.state()).toEqual({ kind: 'paused', because: 'blocked' });
});

test('whoever follows it is told of each change until unsubscribed', () => {
  const seen: string[] = [];
  const unsubscribe = player.subscribe(() => seen.push(player.state().kind));
  playing();
  unsubscribe();
  player.pause();
  expect(seen).toEqual(['connecting', 'playing']);
});

test('a play is reported once sound plays, and once however often the stream is lost and found', () => {
  player.streamBaseLearned(BASE);
  player.play();
  expect(track).not.toHaveBeenCalled();
  report('sounding');
  expect(track.mock.calls).toEqual([['play']]);
  report('dry');
  report('sounding');
  report('lost');
  vi.advanceTimersByTime(1_000);
  report('sounding');
  expect(track).toHaveBeenCalledTimes(1);
  player.pause();
  playing();
  expect(track).toHaveBeenCalledTimes(2);
});

test('a play that never sounds is not reported', () => {
  player.streamBaseLearned(BASE);
  player.play();
  report('blocked');
  player.play();
  player.pause();
  expect(track).not.toHaveBeenCalled();
});
