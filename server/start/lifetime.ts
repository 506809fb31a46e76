import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { flushed } from '../observing/log.ts';

/** Under the 10 s after which `docker stop` and others kill the process. */
const EXIT_LIMIT_MS = 9_500;
const LAST_LINES_MS = 300;
const OPENING_PATIENCE_MS = 7_000;

export type Lifetime = {
  /** Aborted once the end is requested. */
  signal: AbortSignal;
  /** Registers what the end closes, the last registered first. During the end it runs at once. */
  defer(close: CloseFunction): void;
  /** The end waits for `work`: something that is still opening, such as PostgreSQL, can be closed only once it is open. */
  open<T>(work: Promise<T>): Promise<T>;
  /**
   * Runs every registered function once, one after the other. Resolves when all have ended; a failure is logged, and the
   * others still run.
   */
  close(signal?: NodeJS.Signals): Promise<void>;
  /**
   * Closes everything and exits, within 10 s whatever happens. A later call only raises the exit code, so that an
   * exception while stopping is not reported as success.
   */
  exit(exitCode: number, signal?: NodeJS.Signals): Promise<void>;
};

type CloseFunction = (signal?: NodeJS.Signals) => Promise<unknown>;

export type StartContext = { log: Logger; lifetime: Pick<Lifetime, 'signal' | 'defer'> };

export function createLifetime(log: Logger): Lifetime {
  const requested = new AbortController();
  const registered: CloseFunction[] = [];
  const runningLate: Promise<void>[] = [];
  let opening: Promise<unknown> | undefined;
  let isClosing = false;
  let closed: Promise<void> | undefined;
  let closedBy: NodeJS.Signals | undefined;
  let highestCode = 0;

  async function run(close: CloseFunction): Promise<void> {
    try {
      await close(closedBy);
    } catch (error) {
      log.error({ err: error }, 'closing failed');
    }
  }

  async function closeAll(): Promise<void> {
    if (opening) await settled(opening, OPENING_PATIENCE_MS);
    isClosing = true;
    for (const close of registered.reverse()) await run(close);
    // More can be registered while these end.
    for (const late of runningLate) await late;
  }

  function close(signal?: NodeJS.Signals): Promise<void> {
    if (!closed) {
      requested.abort();
      closedBy = signal;
      closed = closeAll();
    }
    return closed;
  }

  return {
    signal: requested.signal,
    defer(close) {
      if (isClosing) runningLate.push(run(close));
      else registered.push(close);
    },
    open(work) {
      opening = work;
      return work;
    },
    close,
    async exit(exitCode, signal) {
      highestCode = Math.max(highestCode, exitCode);
      if (requested.signal.aborted) return;
      if (signal !== undefined) log.info({ signal }, 'stopping');
      setTimeout(giveUp, EXIT_LIMIT_MS, log).unref();
      await close(signal);
      log.info({ exitCode: highestCode }, 'stopped');
      await flushed(log);
      process.exit(highestCode);
    },
  };
}

async function settled(work: Promise<unknown>, patienceMs: number): Promise<void> {
  const patience = new AbortController();
  const ignore = () => {};
  await Promise.race([
    work.catch(ignore),
    delay(patienceMs, undefined, { signal: patience.signal }).catch(ignore),
  ]);
  patience.abort();
}

/** Kills the process when the log has no reader, because `process.exit` would wait for one. */
function giveUp(log: Logger): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINES_MS);
  void flushed(log).then(() => process.exit(1));
}
