import SonicBoom from 'sonic-boom';

/** How much waits in memory for a full disk or a slow reader; further lines are dropped rather than requests delayed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Lines are written together, because a write for each would cost as much as all the rest of a line. */
const WRITTEN_AT_ONCE_BYTES = 8 * 1024;
/** Also the time after which a failed write is tried again. */
const WRITTEN_AFTER_MS = 100;

const STANDARD_OUTPUT = 1;

/** A time in which the log could not be written as it came. */
export type LogGap = {
  /** The system's code, as `ENOSPC` for a full disk. */
  reason: string;
  since: string;
  /** The number of lines that did not fit into memory. */
  dropped: number;
};

/**
 * Opens standard output for the log. Writing never waits and never fails: lines that cannot be written stay in memory, up to
 * a limit, until they can. Not `pino.destination`, which ends the process at the first failure, or tries for ever at exit.
 * @param onGap called when everything is written again
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
