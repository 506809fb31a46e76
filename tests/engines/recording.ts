import { toneSecondOf } from './toneStream.ts';

export const RECORDED_HZ = 44_100;
/** The pieces in which silence is counted, 23 ms each. */
const PIECE_SAMPLES = 1_024;
/** The tone is sent at half of full scale. */
const SILENCE_PEAK = 0.005 * 32_768;
const PITCH_PIECES = 22;

/** Sound recorded from a sound card, one channel of 16 bit, from a moment of the monotonic clock on. */
export type Recording = { samples: Int16Array; startMs: number; lengthMs: number };

/** Returns the spans of silence after the first sound up to a moment, in seconds, in order. */
export function silences({ samples, startMs }: Recording, fromMs: number, untilMs: number): number[] {
  const piecesFrom = (atMs: number) => Math.floor(((atMs - startMs) * RECORDED_HZ) / 1_000 / PIECE_SAMPLES);
  const spans: number[] = [];
  let span = 0;
  for (let piece = Math.max(0, piecesFrom(fromMs)); piece < piecesFrom(untilMs); piece += 1) {
    if (peak(samples, piece) < SILENCE_PEAK) {
      span += PIECE_SAMPLES / RECORDED_HZ;
    } else if (span > 0) {
      spans.push(span);
      span = 0;
    }
  }
  if (span > 0) spans.push(span);
  return spans;
}

/**
 * Returns by how many seconds the sound is behind what was sent at the same moment, from its pitch in the half second
 * before `atMs`; null where nothing sounds.
 */
export function delayAt(
  { samples, startMs }: Recording,
  atMs: number,
  toneSecondAt: (ms: number) => number,
): number | null {
  const last = Math.floor(((atMs - startMs) * RECORDED_HZ) / 1_000);
  const first = last - PITCH_PIECES * PIECE_SAMPLES;
  if (first < 0 || last > samples.length) return null;
  const part = samples.subarray(first, last);
  if (
    Array.from({ length: PITCH_PIECES }, (_, piece) => peak(part, piece)).some((loud) => loud < SILENCE_PEAK)
  ) {
    return null;
  }
  let crossings = 0;
  for (let at = 1; at < part.length; at += 1)
    if ((part[at - 1] ?? 0) < 0 && (part[at] ?? 0) >= 0) crossings += 1;
  const hz = (crossings * RECORDED_HZ) / part.length;
  const middleMs = startMs + (((first + last) / 2) * 1_000) / RECORDED_HZ;
  return toneSecondAt(middleMs) - toneSecondOf(hz);
}

function peak(samples: Int16Array, piece: number): number {
  let loudest = 0;
  const end = Math.min((piece + 1) * PIECE_SAMPLES, samples.length);
  for (let at = piece * PIECE_SAMPLES; at < end; at += 1)
    loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
  return loudest;
}
