import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connection, createConnection } from '../../../../client/dashboard/audio/audioConnection.ts';
import type { ConnectionEvent } from '../../../../client/page/player/connectionEvents.ts';
import { domException, FakeAudio } from './fakeAudio.ts';

const ADDRESS = 'https://audio.example/live?sign=abc==';

let audio: FakeAudio;
let peak: number | null;
let events: ConnectionEvent[];
let connection: Connection;
let isMissing: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  audio = new FakeAudio();
  peak = null;
  isMissing = false;
  open();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(): void {
  vi.clearAllTimers();
  events = [];
  connection = createConnection(
    audio.element,
    { isMissing: () => isMissing, failed: () => (isMissing = true) },
    (what) => events.push(what),
    () => peak,
  );
  connection.open(ADDRESS);
  setInterval(connection.check, 400);
}

const types = () => events.map(({ type }) => type);
/** The events without the delay and the stalls, which change with each pause. */
const told = () => types().filter((type) => !['behind', 'stalled'].includes(type));
const last = (name: ConnectionEvent['type']) => events.filter(({ type }) => type === name).at(-1);

describe('an open connection', () => {
  test('is reported lost once when the stream ends', () => {
    audio.sound();
    Object.assign(audio, { paused: true, ended: true });
    audio.tell('pause');
    audio.tell('ended');
    audio.tell('ended');
    expect(types()).toEqual(['playing', 'lost']);
    expect(audio.src).toBeUndefined();
  });

  test.each(['error', 'ended'])('that never played is reported as not opened on %s', (event) => {
    audio.tell(event);
    expect(types()).toEqual(['unopened']);
  });

  test.each([
    ['NotAllowedError', ['blocked']],
    ['NotSupportedError', ['unopened']],
    ['AbortError', []],
  ])('whose play is refused with %s emits %j', async (name, what) => {
    connection.close();
    await vi.advanceTimersByTimeAsync(0);
    audio.refusal = domException(name);
    open();
    await vi.advanceTimersByTimeAsync(0);
    expect(types()).toEqual(what);
  });

  test('is reported paused by a headset or the system, and sounding when that resumes it', () => {
    audio.paused = true;
    audio.tell('pause');
    audio.paused = false;
    audio.tell('playing');
    expect([types(), audio.src]).toEqual([['pausedOutside', 'playing'], ADDRESS]);
  });

  test('emits nothing once it is closed', async () => {
    connection.close();
    audio.refusal = domException('NotAllowedError');
    open();
    connection.close();
    for (const late of ['playing', 'waiting', 'error', 'ended', 'pause']) audio.tell(late);
    await vi.advanceTimersByTimeAsync(0);
    expect([types(), audio.src]).toEqual([[], undefined]);
  });
});

test('a failed connection is lost once its buffered sound has played', async () => {
  audio.sound();
  audio.tell('error');
  await audio.playsOn(7, { data: false });
  expect(new Set(told())).toEqual(new Set(['playing', 'dataStopped']));
  await vi.advanceTimersByTimeAsync(1_600);
  expect(told().at(-1)).toBe('lost');
});

test('a failed connection plays its buffered sound although two checks come at once', async () => {
  audio.sound();
  audio.tell('error');
  for (let second = 1; second <= 5; second += 1) {
    await audio.playsOn(1, { data: false });
    connection.check();
    await vi.advanceTimersByTimeAsync(2);
    connection.check();
  }
  expect(new Set(told())).toEqual(new Set(['playing', 'dataStopped']));
});

test('a stall is reported for as long as it lasts', async () => {
  audio.sound();
  await audio.playsOn(60);
  audio.readyState = audio.HAVE_FUTURE_DATA - 1;
  expect(last('stalled')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(5_200);
  expect(last('stalled')).toEqual({ type: 'stalled', forMs: expect.closeTo(5_200, -3), hasData: false });
  audio.readyState = audio.HAVE_FUTURE_DATA;
  await vi.advanceTimersByTimeAsync(400);
  expect(last('stalled')).toMatchObject({ hasData: true });
});

test('the end of a stall is reported as sound, with or without an event', async () => {
  audio.sound();
  await audio.playsOn(2);
  await vi.advanceTimersByTimeAsync(2_000);
  events = [];
  await audio.playsOn(1);
  expect(told()).toContain('playing');
});

test.each([
  [3_000, 0],
  [40_000, 1],
  [3_600_000, 0],
  [-40_000, 0],
])('a wall clock that runs ahead by %i ms is a possible sleep %i times', async (aheadMs, times) => {
  audio.sound();
  await audio.playsOn(6);
  vi.setSystemTime(Date.now() + aheadMs);
  await audio.playsOn(6);
  expect(told().filter((type) => type === 'mayHaveSlept')).toHaveLength(times);
  expect(last('behind')).toBeUndefined();
});

describe('the data of an open connection', () => {
  beforeEach(async () => {
    audio.sound();
    await audio.playsOn(5);
  });

  test('is reported over while buffered sound still plays', async () => {
    await audio.playsOn(1.2, { data: false });
    expect(told()).toEqual(['playing']);
    await audio.playsOn(0.4, { data: false });
    expect(new Set(told())).toEqual(new Set(['playing', 'dataStopped']));
    await audio.playsOn(1);
    expect(told().at(-1)).toBe('dataResumed');
  });

  test('is over when an endless stream turns out to have an end', async () => {
    audio.duration = 11.4;
    audio.networkState = 1;
    await audio.playsOn(0.4);
    expect(told()).toEqual(['playing', 'dataStopped']);
  });

  test('is not over while the browser goes on loading what it gives a length', async () => {
    audio.duration = 11.4;
    await audio.playsOn(2);
    expect(told()).not.toContain('dataStopped');
  });

  test('is not over while the length grows with the data', async () => {
    open();
    audio.duration = 5;
    audio.sound();
    await audio.playsOn(5);
    expect(told()).not.toContain('dataStopped');
  });
});

test('the delay grows while the element plays nothing', async () => {
  audio.sound();
  await audio.playsOn(6);
  expect(types()).toEqual(['playing']);
  await vi.advanceTimersByTimeAsync(3_200);
  expect(events).toContainEqual({ type: 'behind', seconds: 3 });
});

test('a speed that something changes again and again is set back three times, then told', async () => {
  audio.sound();
  const speeds: number[] = [];
  for (let time = 0; time < 6; time += 1) {
    audio.playbackRate = 0.8;
    await audio.playsOn(0.4);
    speeds.push(audio.playbackRate);
  }
  expect(speeds).toEqual([1, 1, 1, 0.8, 0.8, 0.8]);
  expect(told().filter((type) => type === 'speedForced')).toHaveLength(1);
  audio.playbackRate = 1;
  await audio.playsOn(0.4);
  expect(types().at(-1)).toBe('speedFreed');
});

test('sound whose speed something else keeps does not count as behind', async () => {
  audio.sound();
  setInterval(() => Object.assign(audio, { playbackRate: 0.8 }), 100);
  await audio.playsOn(6);
  await vi.advanceTimersByTimeAsync(3_200);
  expect(last('behind')).toBeUndefined();
});

const DECODING = { message: 'Failed to decode media', code: 3, MEDIA_ERR_DECODE: 3 };

describe('a missing sound device is not reported as a loss', () => {
  test.each([
    ['Chromium', 'AUDIO_RENDERER_ERROR: audio render error'],
    ['Firefox', 'NS_ERROR_DOM_MEDIA_MEDIASINK_ERR (0x806e000b) - OnMediaSinkAudioError'],
    ['Firefox without a sound server', 'NS_ERROR_DOM_MEDIA_CUBEB_INITIALIZATION_ERR (0x806e0065)'],
  ])('when the error message is that of %s', (_, message) => {
    audio.error = { message };
    audio.tell('error');
    expect(types()).toEqual(['noOutput']);
  });

  test('when Firefox cannot decode a new connection after a moment', () => {
    vi.stubGlobal('navigator', { userAgent: 'Gecko/20100101' });
    audio.sound();
    audio.currentTime = 0.2;
    audio.error = DECODING;
    audio.tell('error');
    expect(types()).toEqual(['playing', 'outputMissing']);
  });

  test('while the element plays on, until it is heard again', async () => {
    audio.sound();
    await audio.playsOn(5);
    isMissing = true;
    await audio.playsOn(1);
    isMissing = false;
    await audio.playsOn(1);
    expect([...new Set(told())]).toEqual(['playing', 'outputMissing']);
    expect([told().at(-1), audio.src]).toEqual(['playing', ADDRESS]);
  });

  test('when Firefox fails to play what it goes on loading, and seeks to be heard again', async () => {
    const seeks = vi.fn();
    audio.sound();
    await audio.playsOn(5);
    Object.assign(audio, { error: DECODING, networkState: 1, duration: 20 });
    audio.tell('error');
    isMissing = true;
    await audio.playsOn(4, { data: false });
    isMissing = false;
    const { currentTime } = audio;
    Object.defineProperty(audio, 'currentTime', { get: () => currentTime, set: seeks, configurable: true });
    await vi.advanceTimersByTimeAsync(400);
    expect(seeks).toHaveBeenCalledExactlyOnceWith(currentTime);
    Object.defineProperty(audio, 'currentTime', { value: currentTime, writable: true });
    audio.buffered.end = () => audio.currentTime;
    await audio.playsOn(5, { data: false });
    expect(told().at(-1)).toBe('playing');
    audio.buffered.end = () => 0;
    await audio.playsOn(2, { data: false });
    expect(told().at(-1)).toBe('dataStopped');
  });
});

test('a silent programme is reported until it is heard again', async () => {
  audio.sound();
  peak = 0;
  await audio.playsOn(9);
  expect(told()).toEqual(['playing']);
  await audio.playsOn(2);
  expect(told()).toEqual(['playing', 'silent']);
  peak = 0.3;
  await audio.playsOn(1);
  expect(told()).toEqual(['playing', 'silent', 'audible']);
});

test('silence that is no longer measured is not told any more', async () => {
  audio.sound();
  peak = 0;
  await audio.playsOn(11);
  peak = null;
  await audio.playsOn(1);
  expect(told()).toEqual(['playing', 'silent', 'audible']);
});
