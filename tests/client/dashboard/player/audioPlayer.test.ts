import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AudioPlayer,
  type AudioReport,
  createAudioPlayer,
} from '../../../../client/dashboard/player/audioPlayer.ts';
import { domException, FakeAudio } from './fakeAudio.ts';

const ADDRESS = 'https://audio.example/live?sign=abc==';

let audio: FakeAudio;
let reports: AudioReport[];
let player: AudioPlayer;

beforeEach(() => {
  vi.useFakeTimers();
  audio = new FakeAudio();
  reports = [];
  player = createAudioPlayer((what) => reports.push(what));
  player.attach(audio.element);
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an open connection', () => {
  test('plays exactly the given address, and sets it again each time', () => {
    player.open(ADDRESS);
    player.open(ADDRESS);
    expect(audio.opened).toEqual([ADDRESS, ADDRESS]);
    expect(audio.paused).toBe(false);
  });

  test('is reported dry when the element waits for data', () => {
    player.open(ADDRESS);
    audio.tell('waiting');
    expect(reports).toEqual(['dry']);
  });

  test.each(['error', 'ended'])('is reported lost once, on %s', (event) => {
    player.open(ADDRESS);
    audio.sound();
    audio.tell(event);
    audio.tell(event);
    expect(reports).toEqual(['sounding', 'lost']);
    expect(audio.src).toBeUndefined();
  });

  test.each(['error', 'ended'])('that never played is reported as not opened, on %s', (event) => {
    player.open(ADDRESS);
    audio.sound();
    player.open(ADDRESS);
    audio.tell(event);
    expect(reports).toEqual(['sounding', 'unopened']);
  });

  test('is reported blocked when the browser wants a click first', async () => {
    audio.refusal = domException('NotAllowedError');
    player.open(ADDRESS);
    await vi.waitFor(() => expect(reports).toEqual(['blocked']));
  });

  test('is reported as not opened when its source cannot be played', async () => {
    audio.refusal = domException('NotSupportedError');
    player.open(ADDRESS);
    await vi.waitFor(() => expect(reports).toEqual(['unopened']));
  });

  test('reports nothing when its play is interrupted', async () => {
    audio.refusal = domException('AbortError');
    player.open(ADDRESS);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reports).toEqual([]);
    expect(audio.src).toBe(ADDRESS);
  });

  test('is reported paused elsewhere when a headset or the system pauses the element', () => {
    player.open(ADDRESS);
    audio.paused = true;
    audio.tell('pause');
    expect(reports).toEqual(['pausedElsewhere']);
  });

  test('is reported lost when the stream ends, although the end pauses the element', () => {
    player.open(ADDRESS);
    audio.sound();
    Object.assign(audio, { paused: true, ended: true });
    audio.tell('pause');
    audio.tell('ended');
    expect(reports).toEqual(['sounding', 'lost']);
  });
});

test('five seconds of silence without any event are reported as a loss', () => {
  player.open(ADDRESS);
  audio.sound();
  audio.readyState = audio.HAVE_FUTURE_DATA - 1;
  for (let second = 0; second < 60; second += 1) {
    audio.currentTime += 1;
    vi.advanceTimersByTime(1_000);
  }
  vi.advanceTimersByTime(4_000);
  expect(reports).toEqual(['sounding']);
  vi.advanceTimersByTime(1_000);
  expect(reports).toEqual(['sounding', 'lost']);
});

describe('a missing sound device is not reported as a loss', () => {
  test.each([
    ['Chromium', 'AUDIO_RENDERER_ERROR: audio render error'],
    ['Firefox', 'NS_ERROR_DOM_MEDIA_MEDIASINK_ERR (0x806e000b) - OnMediaSinkAudioError'],
    ['Firefox without a sound server', 'NS_ERROR_DOM_MEDIA_CUBEB_INITIALIZATION_ERR (0x806e0065)'],
  ])('when the error message is that of %s', (_, message) => {
    player.open(ADDRESS);
    audio.error = { message };
    audio.tell('error');
    player.open(ADDRESS);
    audio.sound();
    audio.tell('error');
    expect(reports).toEqual(['noOutput', 'sounding', 'noOutput']);
  });

  test('when data is buffered but nothing plays', () => {
    player.open(ADDRESS);
    audio.sound();
    vi.advanceTimersByTime(6_000);
    expect(reports).toEqual(['sounding', 'noOutput']);
  });
});

describe('a held connection', () => {
  beforeEach(() => {
    player.open(ADDRESS);
    audio.sound();
    reports = [];
    player.hold();
  });

  test('stays open without sound, and reports neither its pause nor its silence', async () => {
    for (const event of ['pause', 'waiting', 'playing']) audio.tell(event);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([audio.paused, audio.src, reports]).toEqual([true, ADDRESS, []]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('plays on when released, and reports silence again', () => {
    expect(player.resume()).toBe(true);
    expect(audio.paused).toBe(false);
    expect(audio.opened).toEqual([ADDRESS]);
    audio.tell('playing');
    expect(reports).toEqual(['sounding']);
    audio.readyState = audio.HAVE_FUTURE_DATA - 1;
    vi.advanceTimersByTime(10_000);
    expect(reports).toEqual(['sounding', 'lost']);
  });

  test.each(['error', 'ended'])(
    'that is lost meanwhile, on %s, is reported when the sound should go on',
    (event) => {
      audio.tell(event);
      expect(reports).toEqual([]);
      expect(player.resume()).toBe(false);
      expect([audio.paused, audio.src]).toEqual([true, undefined]);
    },
  );
});

describe('closing', () => {
  test('stops the sound and closes the connection', () => {
    player.open(ADDRESS);
    player.close();
    expect(audio.paused).toBe(true);
    expect(audio.src).toBeUndefined();
  });

  test('ignores all later events', async () => {
    player.open(ADDRESS);
    player.close();
    for (const late of ['playing', 'waiting', 'error', 'ended', 'pause']) audio.tell(late);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toEqual([]);
  });

  test('ignores the refusal of a play that was closed meanwhile', async () => {
    audio.refusal = domException('NotAllowedError');
    player.open(ADDRESS);
    audio.refusal = null;
    player.open(ADDRESS);
    await vi.advanceTimersByTimeAsync(0);
    expect(reports).toEqual([]);
  });

  test('happens when the player gives up the audio element', () => {
    const detach = player.attach(audio.element);
    player.open(ADDRESS);
    detach();
    expect(audio.src).toBeUndefined();
    player.open(ADDRESS);
    expect(audio.opened).toEqual([ADDRESS]);
  });
});
