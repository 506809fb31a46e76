import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SoundOutput } from '../../../../client/dashboard/player/connection/soundOutput.ts';
import { type Player, runPlayer } from '../../../../client/dashboard/player/runPlayer.ts';
import { TOKEN_LIFETIME_MS } from '../../../../shared/tokenLifetime.ts';
import { domException, FakeAudio } from './connection/fakeAudio.ts';
import { BASE } from './testPlayer.ts';

const track = vi.hoisted(() => vi.fn());
vi.mock('../../../../client/analytics/track.ts', () => ({ track }));

const ADDRESS = `${BASE}first==`;

let audio: FakeAudio;
let spare: FakeAudio;
let muted: Set<unknown>;
let player: Player;
let kept: boolean[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('BroadcastChannel', undefined);
  Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  audio = new FakeAudio();
  spare = new FakeAudio();
  audio.attached = true;
  muted = new Set();
  kept = [];
  const output: SoundOutput = {
    add: () => undefined,
    unlock: () => undefined,
    setVolume: () => undefined,
    setAudible(element, audible) {
      if (audible) muted.delete(element);
      else muted.add(element);
    },
    peak: () => 0.5,
    close: () => undefined,
  };
  const memory = { wasWanted: () => false, keep: (wanted: boolean) => kept.push(wanted) };
  player = runPlayer(output, memory, async () => 'none');
  player.send({ type: 'streamBaseLearned', streamBase: BASE });
  const token = { token: 'first==', expiresAt: Date.now() + TOKEN_LIFETIME_MS };
  player.send({ type: 'tokenLearned', token });
  player.attach(audio.element, spare.element);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const play = () => player.send({ type: 'playPressed' });
const pause = () => player.send({ type: 'pausePressed' });
/** Whether an element is heard: it plays, is not muted, and is the one in the page. */
const isHeard = (element: FakeAudio) => !element.paused && !muted.has(element) && element.attached;

test('a play opens the address in the element of the page', () => {
  play();
  expect([audio.opened, isHeard(audio), player.peak()]).toEqual([[ADDRESS], true, 0.5]);
  audio.sound();
  expect(track.mock.calls).toEqual([['play']]);
});

test('a pause lets go of the connection and of all timers', async () => {
  play();
  audio.sound();
  await audio.runsDry();
  pause();
  expect([audio.paused, audio.src, spare.src, vi.getTimerCount()]).toEqual([true, undefined, undefined, 0]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([player.state().wanted, kept]).toEqual([false, [true, false]]);
});

test('a stream that does not open is tried again', async () => {
  play();
  audio.tell('error');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(audio.opened).toEqual([ADDRESS, ADDRESS]);
});

test('the player ends when it gives up the elements', () => {
  const detach = player.attach(audio.element, spare.element);
  play();
  detach();
  expect([audio.src, vi.getTimerCount()]).toEqual([undefined, 0]);
});

describe('a replacement', () => {
  beforeEach(async () => {
    play();
    audio.sound();
    await audio.runsDry();
  });

  test('opens unheard beside the connection that is heard', () => {
    expect(spare.opened).toHaveLength(1);
    const { origin, pathname, search, hash } = new URL(spare.opened[0] ?? '');
    expect(origin + pathname + search).toBe(ADDRESS);
    // Firefox would otherwise copy the first element's connection.
    expect(hash).not.toBe('');
    expect([isHeard(audio), isHeard(spare)]).toEqual([true, false]);
  });

  test('takes the other’s place as soon as it sounds', () => {
    spare.sound();
    expect([isHeard(audio), isHeard(spare), audio.src]).toEqual([false, true, undefined]);
  });
});

describe('a held connection', () => {
  beforeEach(() => {
    play();
    audio.sound();
    player.send({ type: 'creationPressed' });
  });

  const release = () => player.send({ type: 'creationFailed', retryAfterSeconds: 0 });

  test('plays on unheard outside the page', async () => {
    await audio.playsOn(60);
    expect([audio.paused, audio.attached, muted.has(audio)]).toEqual([false, false, true]);
    expect([spare.attached, spare.paused, player.peak()]).toEqual([true, true, null]);
  });

  test('is heard again without delay when released', async () => {
    await audio.playsOn(10);
    release();
    expect([isHeard(audio), audio.opened]).toEqual([true, [ADDRESS]]);
    await audio.playsOn(10);
    expect(spare.opened).toEqual([]);
  });

  test('that the browser did not let play on plays on when released', async () => {
    release();
    audio.refusal = domException('NotAllowedError');
    player.send({ type: 'creationPressed' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([audio.paused, audio.src]).toEqual([true, ADDRESS]);
    audio.refusal = null;
    release();
    expect(isHeard(audio)).toBe(true);
  });
});
