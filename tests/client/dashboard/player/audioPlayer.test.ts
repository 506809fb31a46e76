import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AudioPlayer,
  type AudioReport,
  createAudioPlayer,
} from '../../../../client/dashboard/player/audioPlayer.ts';
import { domException, FakeAudio } from './fakeAudio.ts';

const ADDRESS = 'https://audio.example/live?sign=abc==';

let audio: FakeAudio;
let spare: FakeAudio;
let muted: Set<unknown>;
let peak: number | null;
let replaceable: boolean;
let reports: AudioReport[];
let player: AudioPlayer;

beforeEach(() => {
  vi.useFakeTimers();
  audio = new FakeAudio();
  spare = new FakeAudio();
  audio.attached = true;
  muted = new Set();
  peak = null;
  replaceable = true;
  reports = [];
  player = createAudioPlayer((what) => reports.push(what), {
    output: {
      add: () => undefined,
      unlock: () => undefined,
      setVolume: () => undefined,
      setAudible(element, audible) {
        if (audible) muted.delete(element);
        else muted.add(element);
      },
      peak: () => peak,
      close: () => undefined,
    },
    isReplaceable: () => replaceable,
  });
  player.attach(audio.element, spare.element);
});

afterEach(() => {
  vi.useRealTimers();
});

/** The reports without the delay, which changes with each pause. */
const told = () => reports.filter((report) => typeof report === 'string');

/** Whether an element is heard: it plays, is not muted, and is the one in the page. */
const isHeard = (element: FakeAudio) => !element.paused && !muted.has(element) && element.attached;

describe('an open connection', () => {
  test('is opened anew at exactly the given address each time', () => {
    player.open(ADDRESS);
    player.open(ADDRESS);
    expect([audio.opened, audio.paused]).toEqual([[ADDRESS, ADDRESS], false]);
  });

  test('is reported lost once when the stream ends', () => {
    player.open(ADDRESS);
    audio.sound();
    Object.assign(audio, { paused: true, ended: true });
    audio.tell('pause');
    audio.tell('ended');
    audio.tell('ended');
    expect(reports).toEqual(['sounding', 'lost']);
    expect(audio.src).toBeUndefined();
  });

  test.each(['error', 'ended'])('that never played is reported as not opened on %s', (event) => {
    player.open(ADDRESS);
    audio.sound();
    player.open(ADDRESS);
    audio.tell(event);
    expect(reports).toEqual(['sounding', 'unopened']);
  });

  test.each([
    ['NotAllowedError', 'blocked'],
    ['NotSupportedError', 'unopened'],
  ])('whose play is refused with %s is reported as %s', async (name, what) => {
    audio.refusal = domException(name);
    player.open(ADDRESS);
    await expect.poll(() => reports).toEqual([what]);
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
});

test('a failed connection is lost once its buffered sound has played', async () => {
  player.open(ADDRESS);
  audio.sound();
  audio.tell('error');
  expect(told()).toEqual(['sounding', 'supplyEnded']);
  await audio.playsOn(7, { data: false });
  expect(new Set(told())).toEqual(new Set(['sounding', 'supplyEnded']));
  await vi.advanceTimersByTimeAsync(800);
  expect(told().at(-1)).toBe('lost');
});

test('a stall where no token could open another connection is lost after fifteen seconds', async () => {
  replaceable = false;
  player.open(ADDRESS);
  audio.sound();
  await audio.playsOn(60);
  audio.readyState = audio.HAVE_FUTURE_DATA - 1;
  await vi.advanceTimersByTimeAsync(14_600);
  expect(told()).not.toContain('lost');
  await vi.advanceTimersByTimeAsync(800);
  expect(told().at(-1)).toBe('lost');
});

describe('the supply of an open connection', () => {
  beforeEach(async () => {
    player.open(ADDRESS);
    audio.sound();
    await audio.playsOn(5);
  });

  test('is reported over while buffered sound still plays', async () => {
    await audio.playsOn(1.2, { data: false });
    expect(told()).toEqual(['sounding']);
    await audio.playsOn(0.4, { data: false });
    expect(new Set(told())).toEqual(new Set(['sounding', 'supplyEnded']));
    await audio.playsOn(1);
    expect(told().at(-1)).toBe('supplyResumed');
  });

  test('is over when an endless stream turns out to have an end', async () => {
    audio.duration = 11.4;
    await audio.playsOn(0.4);
    expect(told()).toEqual(['sounding', 'supplyEnded']);
  });

  test('is not over while the length grows with the data', async () => {
    player.open(ADDRESS);
    audio.duration = 5;
    audio.sound();
    await audio.playsOn(5);
    expect(told()).not.toContain('supplyEnded');
  });
});

test('the delay grows while the element plays nothing', async () => {
  player.open(ADDRESS);
  audio.sound();
  await audio.playsOn(6);
  expect(reports).toEqual(['sounding']);
  await vi.advanceTimersByTimeAsync(3_200);
  expect(reports).toContainEqual({ behindSeconds: 3 });
});

describe('a replacement', () => {
  beforeEach(() => {
    player.open(ADDRESS);
    audio.sound();
    player.replace(ADDRESS);
  });

  test('opens unheard beside the connection that is heard', () => {
    expect(spare.opened).toHaveLength(1);
    const { origin, pathname, search } = new URL(spare.opened[0] ?? '');
    expect(origin + pathname + search).toBe(ADDRESS);
    expect([isHeard(audio), isHeard(spare)]).toEqual([true, false]);
  });

  test('has an address fragment of its own for Firefox', () => {
    player.replace(ADDRESS);
    expect(new Set([ADDRESS, ...spare.opened]).size).toBe(3);
  });

  test('takes the other’s place as soon as it sounds', () => {
    spare.sound();
    expect([isHeard(audio), isHeard(spare), audio.src]).toEqual([false, true, undefined]);
    expect(reports).toEqual(['sounding', 'replaced']);
    spare.tell('waiting');
    expect(reports.at(-1)).toBe('waiting');
  });

  test('that does not open leaves the other one as it is', () => {
    spare.tell('error');
    expect(reports).toEqual(['sounding', 'notReplaced']);
    expect(isHeard(audio)).toBe(true);
  });

  test('takes the place of a connection that is lost meanwhile', () => {
    audio.ended = true;
    audio.tell('ended');
    expect(reports).toEqual(['sounding', 'lost']);
    expect([spare.attached, spare.opened.length]).toEqual([true, 1]);
    spare.sound();
    expect(reports.at(-1)).toBe('sounding');
    expect(isHeard(spare)).toBe(true);
  });

  test('can be cancelled', () => {
    player.cancelReplacement();
    spare.sound();
    expect([isHeard(audio), spare.src, reports]).toEqual([true, undefined, ['sounding']]);
  });
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

  test('when Firefox cannot decode a new connection after a moment', () => {
    player.open(ADDRESS);
    audio.sound();
    audio.currentTime = 0.2;
    audio.error = { message: 'Failed to decode media', code: 3, MEDIA_ERR_DECODE: 3 };
    audio.tell('error');
    expect(reports).toEqual(['sounding', 'noOutput']);
  });

  test('when data is buffered but nothing plays', async () => {
    player.open(ADDRESS);
    audio.sound();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(told()).toEqual(['sounding', 'noOutput']);
  });
});

describe('a silent programme', () => {
  beforeEach(() => {
    player.open(ADDRESS);
    audio.sound();
    peak = 0;
  });

  test('is reported until it is heard again', async () => {
    await audio.playsOn(9);
    expect(reports).toEqual(['sounding']);
    await audio.playsOn(2);
    expect(reports).toEqual(['sounding', 'silent']);
    peak = 0.3;
    await audio.playsOn(1);
    expect(reports).toEqual(['sounding', 'silent', 'audible']);
  });

  test('stays silent over a replacement', async () => {
    await audio.playsOn(11);
    player.replace(ADDRESS);
    spare.sound();
    await spare.playsOn(5);
    expect(reports).toEqual(['sounding', 'silent', 'replaced']);
  });
});

describe('a held connection', () => {
  beforeEach(() => {
    player.open(ADDRESS);
    audio.sound();
    reports = [];
    player.hold();
  });

  test('plays on unheard outside the page', async () => {
    await audio.playsOn(60);
    expect([audio.paused, audio.attached, muted.has(audio)]).toEqual([false, false, true]);
    expect(audio.src).toBe(ADDRESS);
    expect([spare.attached, spare.paused]).toEqual([true, true]);
    expect(reports).toEqual([]);
  });

  test('is heard again without delay when released', async () => {
    await audio.playsOn(10);
    expect(player.resume()).toBe('sounding');
    expect(isHeard(audio)).toBe(true);
    expect(audio.opened).toEqual([ADDRESS]);
    await audio.playsOn(10);
    expect(reports).toEqual([]);
  });

  test('that the browser did not let play on plays on when released', async () => {
    player.resume();
    audio.refusal = domException('NotAllowedError');
    player.hold();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([audio.paused, audio.src]).toEqual([true, ADDRESS]);
    audio.refusal = null;
    expect(player.resume()).toBe('sounding');
    expect(isHeard(audio)).toBe(true);
  });

  test('that ends meanwhile is reported when the sound should go on', () => {
    audio.ended = true;
    audio.tell('ended');
    expect(reports).toEqual([]);
    expect(player.resume()).toBe('gone');
    expect([audio.paused, audio.src]).toEqual([true, undefined]);
  });
});

describe('closing', () => {
  test('makes the player ignore all later events', async () => {
    player.open(ADDRESS);
    player.replace(ADDRESS);
    player.close();
    expect([audio.paused, audio.src, spare.src, vi.getTimerCount()]).toEqual([true, undefined, undefined, 0]);
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

  test('happens when the player gives up the audio elements', () => {
    const detach = player.attach(audio.element, spare.element);
    player.open(ADDRESS);
    detach();
    expect(audio.src).toBeUndefined();
    player.open(ADDRESS);
    expect(audio.opened).toEqual([ADDRESS]);
  });
});
