import { runSafely } from '../../page/runSafely.ts';
import { startProgress, updateProgress } from './stall.ts';
import { FULL_VOLUME, type Volume } from './volume.ts';

/** 0.19 s at 44.1 kHz. */
const MEASURED_SAMPLES = 8_192;
/** Nothing counts as measured after such a standstill: the context's analyser only repeats its last samples. */
const STANDSTILL_ALLOWED_MS = 2_500;
/** Frames of a track arrive every 0.02 s. */
const FEED_ALLOWED_MS = 1_000;
const FEED_CHECKS_APART_MS = 3_000;
/** A context without an output; Firefox does not know `sinkId` and ignores it. */
const CONTEXT_OPTIONS = { latencyHint: 'playback', sinkId: { type: 'none' } } as const;

export type SoundOutput = {
  measures: boolean;
  add(element: HTMLAudioElement): void;
  setVolume(volume: Volume): void;
  setAudible(element: HTMLAudioElement, audible: boolean): void;
  /** Call it before a connection opens: without CORS its sound plays wherever it may not be read. */
  setReadable(element: HTMLAudioElement, readable: boolean): void;
  peak(element: HTMLAudioElement): number | null;
  close(): void;
};

type Part = { audible: boolean; meter: SoundMeter | null };

/**
 * Elements play by themselves. If CORS lets the page read their sound (`readable`), a copy of it is measured, before
 * the volume applies. If that fails, the sound goes on unmeasured.
 */
export function createSoundOutput(readable: boolean): SoundOutput {
  const measures = readable && 'AudioContext' in globalThis && canCapture();
  const elements = new Map<HTMLAudioElement, Part>();
  let volume: Volume = { level: FULL_VOLUME, muted: false };

  function apply(element: HTMLAudioElement): void {
    element.volume = volume.level / FULL_VOLUME;
    element.muted = volume.muted || elements.get(element)?.audible === false;
  }

  function measure(element: HTMLAudioElement, part: Part): void {
    // Captures each element once only: a further stream would get the tracks of all later connections too.
    const stream = (element as Capturing).captureStream();
    stream.addEventListener('addtrack', ({ track }) => {
      // Sound that may not be read is captured as silence.
      if (element.crossOrigin === null) return;
      runSafely(() => {
        part.meter = createSoundMeter(track);
      });
    });
    // Chromium leaves the track of a connection that ended in the stream, as silence.
    element.addEventListener('emptied', () => {
      stopMeasuring(part);
      for (const track of stream.getTracks()) {
        track.stop();
        stream.removeTrack(track);
      }
    });
  }

  function stopMeasuring(part: Part): void {
    runSafely(() => part.meter?.close());
    part.meter = null;
  }

  return {
    measures,
    add(element) {
      const part = { audible: true, meter: null };
      elements.set(element, part);
      apply(element);
      if (!measures) return;
      element.crossOrigin = 'anonymous';
      runSafely(() => measure(element, part));
    },
    setVolume(newVolume) {
      volume = newVolume;
      for (const element of elements.keys()) apply(element);
    },
    setAudible(element, audible) {
      const part = elements.get(element);
      if (part) part.audible = audible;
      apply(element);
    },
    setReadable(element, isReadable) {
      if (measures) element.crossOrigin = isReadable ? 'anonymous' : null;
    },
    peak(element) {
      const peak = elements.get(element)?.meter?.peak() ?? null;
      // Old versions of Chromium read what is not heard as silence.
      return peak === 0 && (element.muted || element.volume === 0) ? null : peak;
    },
    close() {
      for (const part of elements.values()) stopMeasuring(part);
    },
  };
}

/** Not `mozCaptureStream`, which Firefox had before 149: it silences the element. */
type Capturing = HTMLAudioElement & { captureStream(): MediaStream };

function canCapture(): boolean {
  return 'captureStream' in HTMLMediaElement.prototype;
}

type SoundMeter = {
  /** Returns the peak of the last sound, from 0 to 1; null if nothing is measured. */
  peak(): number | null;
  close(): void;
};

/** Each track has a context of its own, because Chromium keeps a source until its context is closed. */
function createSoundMeter(track: MediaStreamTrack): SoundMeter {
  const context = new AudioContext(CONTEXT_OPTIONS);
  const analyser = new AnalyserNode(context, { fftSize: MEASURED_SAMPLES });
  const source = context.createMediaStreamSource(new MediaStream([track]));
  source.connect(analyser);
  const samples = new Float32Array(MEASURED_SAMPLES);
  let progress = startProgress(performance.now());
  let isFed = true;
  let feedCheckedAt = Number.NEGATIVE_INFINITY;

  /** Chromium feeds only one capture of an element: beside that of an extension, ours reads as silence. */
  async function checkFeed(): Promise<void> {
    const at = performance.now();
    if (at - feedCheckedAt < FEED_CHECKS_APART_MS) return;
    feedCheckedAt = at;
    isFed = await isFedNow(track);
  }

  return {
    peak() {
      progress = updateProgress(progress, performance.now(), context.currentTime);
      if (context.state !== 'running' || progress.stalledMs >= STANDSTILL_ALLOWED_MS) return null;
      if (!runSafely(() => analyser.getFloatTimeDomainData(samples))) return null;
      const peak = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0);
      if (peak > 0) return peak;
      checkFeed().catch(() => undefined);
      return isFed ? 0 : null;
    },
    close() {
      source.disconnect();
      context.close().catch(() => undefined);
    },
  };
}

/** Chromium's interface for reading the frames of a track; other browsers feed each capture. */
type FrameReader = new (options: {
  track: MediaStreamTrack;
}) => { readable: ReadableStream<{ close(): void }> };

/** Returns whether sound arrives in a track within a second, be it silence. */
async function isFedNow(track: MediaStreamTrack): Promise<boolean> {
  const { MediaStreamTrackProcessor } = globalThis as { MediaStreamTrackProcessor?: FrameReader };
  if (MediaStreamTrackProcessor === undefined) return true;
  const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
  const timeout = setTimeout(() => reader.cancel(), FEED_ALLOWED_MS);
  const { value } = await reader.read();
  clearTimeout(timeout);
  value?.close();
  await reader.cancel();
  return value !== undefined;
}
