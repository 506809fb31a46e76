import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSoundOutput, type SoundOutput } from '../../../../client/dashboard/audio/soundOutput.ts';

const QUIET = { level: 40, muted: false };

/** The samples that each analyser reads, and the gains in front of the speakers. */
let sample: number;
let gains: { gain: { value: number } }[];
let contexts: FakeContext[];

/** WebAudio that runs as soon as it is resumed. */
class FakeContext {
  state = 'suspended';
  onstatechange: (() => void) | null = null;
  currentTime = 0;
  constructor() {
    contexts.push(this);
  }
  become(state: string): void {
    this.state = state;
    this.onstatechange?.();
  }
  async resume(): Promise<void> {
    this.become('running');
  }
  createMediaElementSource = () => ({ connect: (node: unknown) => node });
  createAnalyser = () => ({
    fftSize: 0,
    getFloatTimeDomainData(samples: Float32Array) {
      if (Number.isNaN(sample)) throw new TypeError('made up');
      samples.fill(sample);
    },
  });
  createGain() {
    const node = { gain: { value: 1 }, connect: () => undefined };
    gains.push(node);
    return node;
  }
}

function outputOf(readable: boolean) {
  const element = { volume: 1, muted: false, crossOrigin: null } as unknown as HTMLAudioElement;
  const output = createSoundOutput(readable);
  output.add(element);
  output.setVolume(QUIET);
  output.unlock();
  return { output, element };
}

beforeEach(() => {
  vi.useFakeTimers();
  sample = 0;
  gains = [];
  contexts = [];
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('HTMLMediaElement', { prototype: { captureStream: () => undefined } });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('nothing is measured while WebAudio is suspended', () => {
  const { output, element } = outputOf(true);
  sample = 0.5;
  expect(output.peak(element)).toBe(0.5);
  Object.assign(contexts[0] ?? {}, { state: 'suspended' });
  expect(output.peak(element)).toBeNull();
});

test('muted sound is not measured', () => {
  const { output, element } = outputOf(true);
  output.setAudible(element, false);
  expect(output.peak(element)).toBeNull();
});

test('sound that pages may not read plays by itself', () => {
  const { output, element } = outputOf(false);
  expect([element.crossOrigin, element.volume, element.muted]).toEqual([null, 0.4, false]);
  expect([contexts, output.peak(element)]).toEqual([[], null]);
});

test('sound that is not to be heard stays muted whatever the volume', () => {
  const { output, element } = outputOf(false);
  output.setAudible(element, false);
  output.setVolume({ level: 90, muted: false });
  expect(element.muted).toBe(true);
  output.setAudible(element, true);
  expect(element.muted).toBe(false);
});

test('readable sound is measured in front of the volume', () => {
  const { output, element } = outputOf(true);
  sample = -0.5;
  output.setVolume({ level: 40, muted: true });
  expect(element.crossOrigin).toBe('anonymous');
  expect([element.volume, element.muted, gains[0]?.gain.value]).toEqual([1, false, 0]);
  expect(output.peak(element)).toBe(0.5);
  output.setVolume(QUIET);
  expect(gains[0]?.gain.value).toBe(0.4);
  output.setAudible(element, false);
  expect([gains[0]?.gain.value, element.muted]).toEqual([0, true]);
});

test('readable sound plays unmeasured until WebAudio runs', () => {
  vi.spyOn(FakeContext.prototype, 'resume').mockRejectedValue(new Error('no click'));
  const { output, element } = outputOf(true);
  expect([element.volume, output.peak(element)]).toEqual([0.4, null]);
  contexts[0]?.become('running');
  expect([element.volume, output.peak(element)]).toEqual([1, 0]);
});

test.each<[string, () => void, string | null]>([
  ['fails', () => vi.stubGlobal('AudioContext', null), 'anonymous'],
  ['is missing', () => Reflect.deleteProperty(globalThis, 'AudioContext'), null],
  ['is not reliable, as in WebKit', () => vi.stubGlobal('HTMLMediaElement', { prototype: {} }), null],
])('readable sound plays by itself where WebAudio %s', (_, breakWebAudio, crossOrigin) => {
  breakWebAudio();
  expect(outputOf(true).element).toMatchObject({ volume: 0.4, crossOrigin });
});

describe('readable sound plays unmeasured', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

  test('where an extension has taken the element', () => {
    const taken = vi.spyOn(FakeContext.prototype, 'createGain');
    taken.mockImplementation(() => {
      throw new DOMException('already connected', 'InvalidStateError');
    });
    const { output, element } = outputOf(true);
    output.unlock();
    output.setAudible(element, true);
    expect([element.volume, output.peak(element)]).toEqual([0.4, null]);
    expect(taken).toHaveBeenCalledOnce();
  });

  test('where its level cannot be read', () => {
    const { output, element } = outputOf(true);
    sample = Number.NaN;
    expect(output.peak(element)).toBeNull();
  });
});

test('WebAudio goes on after the system stopped it', () => {
  const { output, element } = outputOf(true);
  contexts[0]?.become('suspended');
  expect(contexts[0]?.state).toBe('running');
  expect(output.peak(element)).toBe(0);
});

test('a context that the system interrupted is not resumed', () => {
  const resume = vi.spyOn(FakeContext.prototype, 'resume');
  const { output } = outputOf(true);
  resume.mockClear();
  contexts[0]?.become('interrupted');
  output.unlock();
  expect(resume).not.toHaveBeenCalled();
});

describe('an output that ran', () => {
  /** Asks five times a second, for so many seconds, whether the output is dead; its time moves if `moves`. */
  function isDeadAfter(
    output: SoundOutput,
    seconds: number,
    { moves = false, isReplaceable = true } = {},
  ): boolean {
    let dead = false;
    for (let part = 0; part < seconds * 5; part += 1) {
      const [context] = contexts;
      if (context && moves) context.currentTime += 0.2;
      vi.advanceTimersByTime(200);
      dead = output.isDead(isReplaceable);
    }
    return dead;
  }

  test('is dead once its time stands still for 2.5 s', () => {
    const { output } = outputOf(true);
    expect(isDeadAfter(output, 10, { moves: true })).toBe(false);
    expect(isDeadAfter(output, 2.4)).toBe(false);
    expect(isDeadAfter(output, 0.4)).toBe(true);
  });

  test('is waited for while no other connection could be opened', () => {
    const { output } = outputOf(true);
    expect(isDeadAfter(output, 14.8, { isReplaceable: false })).toBe(false);
    expect(isDeadAfter(output, 0.4, { isReplaceable: false })).toBe(true);
  });

  test('is let go of although its context cannot be closed', () => {
    const { output } = outputOf(true);
    contexts[0]?.become('closed');
    vi.spyOn(console, 'warn').mockReturnValue();
    output.reset();
    expect(output.isDead(true)).toBe(false);
  });

  test('is dead at once if it is closed', () => {
    const { output } = outputOf(true);
    contexts[0]?.become('closed');
    expect([output.isDead(true), output.hasStopped()]).toEqual([true, true]);
  });

  test('is stopped and not dead while the system interrupts it', () => {
    const { output } = outputOf(true);
    contexts[0]?.become('interrupted');
    expect([isDeadAfter(output, 60), output.hasStopped()]).toEqual([false, true]);
  });
});

test('an output that waits for a click is not dead', () => {
  vi.spyOn(FakeContext.prototype, 'resume').mockReturnValue(new Promise(() => {}));
  const { output } = outputOf(true);
  vi.advanceTimersByTime(60_000);
  expect([output.isDead(true), output.hasStopped()]).toEqual([false, false]);
});
