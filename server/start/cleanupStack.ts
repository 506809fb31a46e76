import type { Logger } from 'pino';

export type CleanupFunction = (signal?: NodeJS.Signals) => Promise<unknown>;

export type CleanupStack = {
  /** Runs the function at once if `close` was already called. */
  defer(cleanup: CleanupFunction): void;
  /**
   * Runs every registered function once, one after the other, the last registered first. Resolves when all have ended;
   * a failure is logged, and the others still run.
   */
  close(signal?: NodeJS.Signals): Promise<void>;
};

export type StartContext = { log: Logger; cleanup: CleanupStack; signal: AbortSignal };

export function createCleanupStack(log: Pick<Logger, 'error'>): CleanupStack {
  const registered: CleanupFunction[] = [];
  const runningLate: Promise<void>[] = [];
  let isClosing = false;
  let closed: Promise<void> | undefined;
  let closedBy: NodeJS.Signals | undefined;

  async function run(cleanup: CleanupFunction): Promise<void> {
    try {
      await cleanup(closedBy);
    } catch (error) {
      log.error({ err: error }, 'closing failed');
    }
  }

  async function runAll(): Promise<void> {
    for (const cleanup of registered.reverse()) await run(cleanup);
    // More can be registered while these end.
    for (const late of runningLate) await late;
  }

  return {
    defer(cleanup) {
      if (isClosing) runningLate.push(run(cleanup));
      else registered.push(cleanup);
    },
    close(signal) {
      if (!closed) {
        isClosing = true;
        closedBy = signal;
        closed = runAll();
      }
      return closed;
    },
  };
}
