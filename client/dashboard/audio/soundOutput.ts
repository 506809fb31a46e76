import { runSafely } from '../../page/runSafely.ts';
import { createSoundMeter, type SoundMeter } from './soundMeter.ts';
import { FULL_VOLUME, type Volume } from './volume.ts';

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
