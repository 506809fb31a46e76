import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { flushed } from '../observing/log.ts';
import type { CleanupStack } from './cleanupStack.ts';

/** Under the 10 s after which `docker stop` and others kill the process. */
const SHUTDOWN_LIMIT_MS = 9_500;
const LAST_LINES_MS = 300;
const START_PATIENCE_MS = 7_000;

export type Shutdown = {
  signal: AbortSignal;
  /**
   * Closes everything, in the reverse order of the `cleanup.defer` calls of `startServer.ts`, and exits, within 10 s
   * whatever happens. A later call only raises the exit code, so that an exception while stopping is not reported as
   * success.
   */
  stop(exitCode: number, signal?: NodeJS.Signals): Promise<void>;
};

export function createShutdown(
  log: Logger,
  cleanup: CleanupStack,
  starting: () => Promise<unknown> | undefined,
): Shutdown {
  const requested = new AbortController();
  let highestCode = 0;

  return {
    signal: requested.signal,
    async stop(exitCode, signal) {
      highestCode = Math.max(highestCode, exitCode);
      if (requested.signal.aborted) return;
      requested.abort();
      if (signal !== undefined) log.info({ signal }, 'stopping');
      setTimeout(giveUp, SHUTDOWN_LIMIT_MS, log).unref();
      // Something that is still opening, such as PostgreSQL, can be closed only once it is open.
      await Promise.race([starting()?.catch(() => {}), delay(START_PATIENCE_MS)]);
      await cleanup.close(signal);
      log.info({ exitCode: highestCode }, 'stopped');
      await flushed(log);
      process.exit(highestCode);
    },
  };
}

/** Kills the process when the log has no reader, because `process.exit` would wait for one. */
function giveUp(log: Logger): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINES_MS);
  void flushed(log).then(() => process.exit(1));
}
