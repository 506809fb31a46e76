import { succeeds } from '../succeeds.ts';
import { startProgress, updateProgress } from './stall.ts';

/** 0.19 s at 44.1 kHz. */
const MEASURED_SAMPLES = 8_192;
/** From then on nothing is measured: the analyser of a context that stands still repeats its last samples. */
const STANDSTILL_ALLOWED_MS = 2_500;
const RECORDED_MS = 1_000;
const RECORDINGS_APART_MS = 3_000;
/** A context without an output; Firefox does not know `sinkId` and ignores it. */
const CONTEXT_OPTIONS = { latencyHint: 'playback', sinkId: { type: 'none' } } as const;

export type SoundMeter = {
  /** Returns the peak of the last sound, from 0 to 1; null if nothing is measured. */
  peak(): number | null;
  close(): void;
};

/** Each track has a context of its own, because Chromium keeps a source until its context is closed. */
export function createSoundMeter(track: MediaStreamTrack): SoundMeter {
  const context = new AudioContext(CONTEXT_OPTIONS);
  const analyser = new AnalyserNode(context, { fftSize: MEASURED_SAMPLES });
  const source = context.createMediaStreamSource(new MediaStream([track]));
  source.connect(analyser);
  const samples = new Float32Array(MEASURED_SAMPLES);
  let progress = startProgress(performance.now());
  let isFed = true;
  let recordedAt = Number.NEGATIVE_INFINITY;

  /** If an extension captures the element too, Chromium feeds only its track; ours then reads as silence. */
  async function checkFeed(): Promise<void> {
    const at = performance.now();
    if (at - recordedAt < RECORDINGS_APART_MS) return;
    recordedAt = at;
    isFed = (await recordedBytes(track)) > 0;
  }

  return {
    peak() {
      progress = updateProgress(progress, performance.now(), context.currentTime);
      if (context.state !== 'running' || progress.stalledMs >= STANDSTILL_ALLOWED_MS) return null;
      if (!succeeds(() => analyser.getFloatTimeDomainData(samples))) return null;
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

/** Records a track for a second. Silence has bytes too; a track that is not fed has none. */
function recordedBytes(track: MediaStreamTrack): Promise<number> {
  const recorder = new MediaRecorder(new MediaStream([track]));
  return new Promise((resolve) => {
    recorder.ondataavailable = ({ data }) => resolve(data.size);
    recorder.start();
    setTimeout(() => recorder.state === 'recording' && recorder.stop(), RECORDED_MS);
  });
}
