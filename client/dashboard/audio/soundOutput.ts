import { succeeds } from '../succeeds.ts';
import { type Progress, startProgress, updateProgress } from './stall.ts';
import { FULL_VOLUME, type Volume } from './volume.ts';

/** 0.19 s at 44.1 kHz. */
const MEASURED_SAMPLES = 8_192;
/** Longer than a busy computer or a change of the sound device takes. */
const STANDSTILL_ALLOWED_MS = 2_500;
/** While no valid token could open another connection, and the context may yet resume by itself. */
const LONG_STANDSTILL_ALLOWED_MS = 15_000;

export type SoundOutput = {
  add(element: HTMLAudioElement): void;
  /** Call it inside a click handler: browsers start an `AudioContext` only there. */
  unlock(): void;
  setVolume(volume: Volume): void;
  setAudible(element: HTMLAudioElement, audible: boolean): void;
  peak(element: HTMLAudioElement): number | null;
  hasStopped(): boolean;
  /**
   * Whether WebAudio will not run again, as when the sound device is gone. Call it several times a second.
   * @param isReplaceable - whether another connection could be opened, since this one ends with it
   */
  isDead(isReplaceable: boolean): boolean;
  /** Releases all elements and WebAudio: an element that was routed through it cannot play in any other way. */
  reset(): void;
};

type Route = { gain: GainNode; analyser: AnalyserNode };

/** `canBeRouted`: false once that failed, as when an extension routes the element. It then plays unmeasured. */
type Part = { audible: boolean; route: Route | null; canBeRouted: boolean };

/**
 * If CORS lets the page read the sound (`readable`), the elements play through WebAudio once it runs, and are measured
 * before the volume applies. Otherwise, and where WebAudio is not reliable, they play directly and `peak` is null.
 */
export function createSoundOutput(readable: boolean): SoundOutput {
  const measures = readable && 'AudioContext' in globalThis && isReliable();
  const elements = new Map<HTMLAudioElement, Part>();
  const samples = new Float32Array(MEASURED_SAMPLES);
  let volume: Volume = { level: FULL_VOLUME, muted: false };
  let context: AudioContext | null = null;
  /** How the context's clock advances, from when it first ran. */
  let progress: Progress | null = null;

  function createContext(): AudioContext | null {
    try {
      return Object.assign(new AudioContext({ latencyHint: 'playback' }), { onstatechange: keepRunning });
    } catch {
      return null;
    }
  }

  /** The system suspends a context during a phone call or when the sound device is removed. */
  function keepRunning(): void {
    if (context?.state === 'running') {
      progress ??= startProgress(performance.now());
      routeAll(context);
    }
    // Not when iOS says `interrupted`: resuming would freeze the context.
    else if (context?.state === 'suspended') context.resume().catch(() => undefined);
  }

  function routeAll(context: AudioContext): void {
    for (const [element, part] of elements) {
      if (part.canBeRouted && part.route === null) {
        part.canBeRouted = succeeds(() => {
          part.route = routeOf(element, context);
        });
      }
      apply(element);
    }
  }

  function apply(element: HTMLAudioElement): void {
    const { audible = true, route = null } = elements.get(element) ?? {};
    const level = volume.level / FULL_VOLUME;
    if (route === null) {
      element.volume = level;
      element.muted = volume.muted || !audible;
    } else {
      element.volume = 1;
      // WebKit passes the sound of a muted element on to WebAudio.
      element.muted = !audible;
      route.gain.gain.value = audible && !volume.muted ? level : 0;
    }
  }

  return {
    add(element) {
      if (measures) element.crossOrigin = 'anonymous';
      elements.set(element, { audible: true, route: null, canBeRouted: true });
      apply(element);
    },
    unlock() {
      if (!measures) return;
      context ??= createContext();
      succeeds(keepRunning);
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
    peak(element) {
      const { route, audible } = elements.get(element) ?? {};
      // A muted element reads as silence.
      if (!route || !audible || context?.state !== 'running') return null;
      const isMeasured = succeeds(() => route.analyser.getFloatTimeDomainData(samples));
      return isMeasured ? samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0) : null;
    },
    hasStopped: () => progress !== null && context?.state !== 'running',
    isDead(isReplaceable) {
      if (context === null || progress === null) return false;
      const at = performance.now();
      const allowedMs = isReplaceable ? STANDSTILL_ALLOWED_MS : LONG_STANDSTILL_ALLOWED_MS;
      progress =
        context.state === 'interrupted'
          ? { ...progress, at }
          : updateProgress(progress, at, context.currentTime);
      return context.state === 'closed' || progress.stalledMs >= allowedMs;
    },
    reset() {
      const before = context;
      elements.clear();
      context = null;
      progress = null;
      succeeds(() => void before?.close().catch(() => undefined));
    },
  };
}

/** WebAudio does not measure streams reliably in WebKit, whose elements have no `captureStream`. */
function isReliable(): boolean {
  return ['captureStream', 'mozCaptureStream'].some((name) => name in HTMLMediaElement.prototype);
}

function routeOf(element: HTMLAudioElement, context: AudioContext): Route {
  const gain = context.createGain();
  const analyser = context.createAnalyser();
  analyser.fftSize = MEASURED_SAMPLES;
  gain.connect(context.destination);
  // Last, because from here on the element itself is silent.
  const source = context.createMediaElementSource(element);
  source.connect(gain);
  source.connect(analyser);
  return { gain, analyser };
}
