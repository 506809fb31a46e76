const SILENT_AFTER_MS = 10_000;
/** Quieter than the noise of any open microphone (-80 dB), louder than what a decoder makes of digital silence. */
const SILENT_PEAK = 0.0001;
/** Nothing is measured between two checks, which a hidden page may delay. */
const LONGEST_GAP_COUNTED_MS = 2_000;

export function silentFor(beforeMs: number, peak: number | null, gapMs: number): number {
  return peak === null || peak > SILENT_PEAK ? 0 : beforeMs + Math.min(gapMs, LONGEST_GAP_COUNTED_MS);
}

export function isSilentProgramme(silentMs: number): boolean {
  return silentMs >= SILENT_AFTER_MS;
}
