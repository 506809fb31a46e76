import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSoundOutput, type SoundOutput } from '../../../../client/dashboard/player/soundOutput.ts';

const QUIET = { level: 40, muted: false };

/** WebAudio that runs as soon as it is resumed. `sample` is what each analyser reads; `gains` are those in front of the speakers. */
let sample: number;
let gains: { gain: { value: number }; connect: () => void }[];
let contexts: FakeContext[];

class FakeContext {
  state = 'suspended';
  onstatechange: (() => void) | null = null;
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
  async close(): Promise<void> {
    this.state = 'closed';
  }
  createMediaElementSource = () => ({ connect: (node: unknown) => node });
  createAnalyser = () => ({
    fftSize: 0,
    getFloatTimeDomainData: (samples: Float32Array) => void samples.fill(sample),
  });
  createGain() {
    const node = { gain: { value: 1 }, connect: () => undefined };
    gains.push(node);
    return node;
  }
}

const newElement = () => ({ volume: 1, muted: false, crossOrigin: null }) as unknown as HTMLAudioElement;

function outputOf(readable: boolean): { output: SoundOutput; element: HTMLAudioElement } {
  const output = createSoundOutput(readable);
  const element = newElement();
  output.add(element);
  output.setVolume(QUIET);
  output.unlock();
  return { output, element };
}

beforeEach(() => {
  sample = 0;
  gains = [];
  contexts = [];
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('HTMLMediaElement', { prototype: { captureStream: () => undefined } });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a sound that pages may not read', () => {
  test('is asked for as any other, and plays by itself', () => {
    const { output, element } = outputOf(false);
    expect([element.crossOrigin, element.volume, element.muted]).toEqual([null, 0.4, false]);
    expect(contexts).toEqual([]);
    expect(output.peak(element)).toBeNull();
  });

  test('is muted while it is not to be heard, whatever the volume', () => {
    const { output, element } = outputOf(false);
    output.setAudible(element, false);
    output.setVolume({ level: 90, muted: false });
    expect(element.muted).toBe(true);
    output.setAudible(element, true);
    expect(element.muted).toBe(false);
  });
});

describe('a sound that pages may read', () => {
  test('is measured in front of the volume', () => {
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

  test('plays by itself until WebAudio runs, and is not measured meanwhile', () => {
    vi.spyOn(FakeContext.prototype, 'resume').mockRejectedValue(new Error('no click'));
    const { output, element } = outputOf(true);
    expect([element.volume, output.peak(element)]).toEqual([0.4, null]);
    contexts[0]?.become('running');
    expect([element.volume, output.peak(element)]).toEqual([1, 0]);
  });

  test('plays by itself where WebAudio is missing or fails', () => {
    vi.stubGlobal('AudioContext', () => {
      throw new Error('no device');
    });
    expect(outputOf(true).element.volume).toBe(0.4);
    vi.unstubAllGlobals();
    vi.stubGlobal('HTMLMediaElement', { prototype: {} });
    expect(outputOf(true).element).toMatchObject({ volume: 0.4, crossOrigin: null });
  });

  test('goes on after the system stopped WebAudio', () => {
    const { output, element } = outputOf(true);
    contexts[0]?.become('suspended');
    expect(contexts[0]?.state).toBe('running');
    expect(output.peak(element)).toBe(0);
  });

  test('is believed to be silent in WebKit only after a sound, since it gives no samples of some streams', () => {
    vi.stubGlobal('HTMLMediaElement', { prototype: {} });
    const { output, element } = outputOf(true);
    expect(output.peak(element)).toBeNull();
    sample = 0.2;
    expect(output.peak(element)).toBeCloseTo(0.2);
    sample = 0;
    expect(output.peak(element)).toBe(0);
  });
});
