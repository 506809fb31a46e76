import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSoundOutput, type SoundOutput } from '../../../../client/dashboard/audio/soundOutput.ts';

const QUIET = { level: 40, muted: false };

/** The analysers read this; NaN makes them throw. */
let sample: number;
let isFed: boolean;
let contexts: FakeContext[];

class FakeContext {
  state = 'running';
  isStuck = false;
  constructor() {
    contexts.push(this);
  }
  get currentTime() {
    return this.isStuck ? 1 : performance.now() / 1_000;
  }
  createMediaStreamSource = () => ({ connect: () => undefined, disconnect: () => undefined });
  async close() {
    this.state = 'closed';
  }
}

class FakeAnalyser {
  getFloatTimeDomainData(samples: Float32Array): void {
    if (Number.isNaN(sample)) throw new TypeError('made up');
    samples.fill(sample);
  }
}

class FakeStream extends EventTarget {
  tracks: { stop: () => void }[] = [];
  getTracks = () => [...this.tracks];
  removeTrack = (gone: unknown) => {
    this.tracks = this.tracks.filter((track) => track !== gone);
  };
}

/** Chromium's reader of a track's frames. */
class FakeProcessor {
  readable = new ReadableStream({
    start: (controller) => isFed && controller.enqueue({ close: () => undefined }),
  });
}

class FakeElement extends EventTarget {
  volume = 1;
  muted = false;
  crossOrigin: string | null = null;
  readonly stream = new FakeStream();
  readonly captureStream = vi.fn(() => this.stream);

  connects() {
    const track = { stop: vi.fn() };
    this.stream.tracks.push(track);
    this.stream.dispatchEvent(Object.assign(new Event('addtrack'), { track }));
    return track;
  }
  ends() {
    this.dispatchEvent(new Event('emptied'));
  }
}

let output: SoundOutput;
let fake: FakeElement;
let element: HTMLAudioElement;

function open(readable: boolean): void {
  fake = new FakeElement();
  element = fake as unknown as HTMLAudioElement;
  output = createSoundOutput(readable);
  output.add(element);
  output.setVolume(QUIET);
}

/** Returns what is measured, looked at five times a second for so many seconds. */
async function peaksFor(seconds: number): Promise<(number | null)[]> {
  const peaks = [];
  for (let look = 0; look < seconds * 5; look += 1) {
    await vi.advanceTimersByTimeAsync(200);
    peaks.push(output.peak(element));
  }
  return peaks;
}

beforeEach(() => {
  vi.useFakeTimers();
  sample = -0.5;
  isFed = true;
  contexts = [];
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('AnalyserNode', FakeAnalyser);
  vi.stubGlobal('MediaStream', FakeStream);
  vi.stubGlobal('MediaStreamTrackProcessor', FakeProcessor);
  vi.stubGlobal('HTMLMediaElement', { prototype: { captureStream: () => undefined } });
  open(true);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('readable sound plays by itself and is measured', () => {
  fake.connects();
  expect([element.crossOrigin, element.volume, element.muted]).toEqual(['anonymous', 0.4, false]);
  expect(output.peak(element)).toBe(0.5);
});

test('sound that pages may not read is not captured', () => {
  open(false);
  expect([element.crossOrigin, element.volume, output.peak(element)]).toEqual([null, 0.4, null]);
  expect(fake.captureStream).not.toHaveBeenCalled();
});

test('a connection without CORS is not measured', () => {
  output.setReadable(element, false);
  fake.connects();
  expect([element.crossOrigin, output.peak(element), contexts]).toEqual([null, null, []]);
});

test('sound that is not to be heard stays muted whatever the volume', () => {
  output.setAudible(element, false);
  output.setVolume({ level: 90, muted: false });
  expect(element.muted).toBe(true);
  output.setAudible(element, true);
  expect(element.muted).toBe(false);
});

test('each connection is measured by a context of its own, from one capture', () => {
  const track = fake.connects();
  fake.ends();
  expect([output.peak(element), contexts[0]?.state, fake.stream.tracks]).toEqual([null, 'closed', []]);
  expect(track.stop).toHaveBeenCalled();
  fake.connects();
  expect([output.peak(element), contexts.length]).toEqual([0.5, 2]);
  expect(fake.captureStream).toHaveBeenCalledOnce();
});

test('nothing is measured while the context is suspended', () => {
  fake.connects();
  Object.assign(contexts[0] ?? {}, { state: 'suspended' });
  expect(output.peak(element)).toBeNull();
});

test('nothing is measured once the context stands still', async () => {
  fake.connects();
  Object.assign(contexts[0] ?? {}, { isStuck: true });
  expect((await peaksFor(3)).at(-1)).toBeNull();
});

test.each([
  ['muted', { level: 40, muted: true }],
  ['at volume 0', { level: 0, muted: false }],
])('zeros of sound that is %s are not measured silence', (_, volume) => {
  fake.connects();
  output.setVolume(volume);
  expect(output.peak(element)).toBe(0.5);
  sample = 0;
  expect(output.peak(element)).toBeNull();
});

test('silence is measured for as long as it lasts', async () => {
  fake.connects();
  sample = 0;
  expect(new Set(await peaksFor(20))).toEqual(new Set([0]));
});

test('zeros of a track that an extension took over are not measured silence', async () => {
  fake.connects();
  sample = 0;
  isFed = false;
  await peaksFor(2);
  expect(new Set(await peaksFor(20))).toEqual(new Set([null]));
  sample = 0.5;
  expect(output.peak(element)).toBe(0.5);
});

test.each<[string, () => void]>([
  ['WebAudio is missing', () => Reflect.deleteProperty(globalThis, 'AudioContext')],
  // As in WebKit, and in Firefox before 149.
  ['elements cannot be captured', () => vi.stubGlobal('HTMLMediaElement', { prototype: {} })],
])('readable sound plays unmeasured where %s', (_, breakBrowser) => {
  breakBrowser();
  open(true);
  expect([element.crossOrigin, element.volume, output.peak(element)]).toEqual([null, 0.4, null]);
});

describe('readable sound plays unmeasured', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

  test('where no context can be opened', () => {
    vi.stubGlobal('AudioContext', null);
    fake.connects();
    expect([element.volume, output.peak(element)]).toEqual([0.4, null]);
  });

  test('where its level cannot be read', () => {
    sample = Number.NaN;
    fake.connects();
    expect(output.peak(element)).toBeNull();
  });

  test('where an extension broke the capture', () => {
    vi.spyOn(FakeStream.prototype, 'addEventListener').mockImplementation(() => {
      throw new TypeError('made up');
    });
    open(true);
    expect([element.volume, output.peak(element)]).toEqual([0.4, null]);
  });
});
