import SonicBoom from 'sonic-boom';

/** Lines wait in memory while the disk is full or the reader slow; beyond this they are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A write for each line would double its cost. */
const WRITTEN_AT_ONCE_BYTES = 8 * 1024;
const WRITTEN_AFTER_MS = 100;

export const STANDARD_OUTPUT = 1;

export type LogGap = {
  reason: string;
  since: string;
  dropped: number;
};

/**
 * Opens standard output for the log. Writing never waits and never throws: lines that cannot be written yet stay in
 * memory, up to a limit. `pino.destination` would end the process at the first failure, or try for ever at exit.
 * @param onGap - called after a gap, once all waiting lines are written
 */
export function openLogOutput(onGap: (gap: LogGap) => void): SonicBoom {
  const output = new SonicBoom({
    fd: STANDARD_OUTPUT,
    sync: false,
    minLength: WRITTEN_AT_ONCE_BYTES,
    periodicFlush: WRITTEN_AFTER_MS,
    maxLength: MAX_WAITING_BYTES,
  });
  let gap: LogGap | null = null;
  const gapBy = (reason: string) => {
    gap ??= { reason, since: new Date().toISOString(), dropped: 0 };
    return gap;
  };
  output.on('error', (error: NodeJS.ErrnoException) => void gapBy(error.code ?? error.name));
  output.on('drop', () => {
    gapBy('slow reader').dropped += 1;
  });
  output.on('drain', () => {
    if (gap === null) return;
    const ended = gap;
    gap = null;
    onGap(ended);
  });
  return output;
}
