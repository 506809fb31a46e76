import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import { UnfinishedMigration } from './migrationState.ts';

/** SQLSTATEs: no lock in time, a deadlock, a statement that somebody cancelled. */
const LOCKS_MISSED = /^(55P03|40P01|57014)$/;

const WHO_HOLDS_IT = 'docs/operations.md has a query that shows who holds it';

export type LockTimes = {
  lockMs: number;
  pauseMs: number;
  warnEveryMs: number;
  patienceMs: number;
};

/**
 * While a migration waits for a lock, statements of the running instances queue behind it, and time out after 1.1 s
 * (docs/decisions/0016-database-time-limits.md). So it waits half a second.
 */
export const LOCK_TIMES: LockTimes = {
  lockMs: 500,
  pauseMs: 2_000,
  warnEveryMs: 30_000,
  patienceMs: 10 * MINUTE_MS,
};

export function areLocksMissed({ code = '' }: pg.DatabaseError): boolean {
  return LOCKS_MISSED.test(code);
}

/**
 * Repeats `attempt` for as long as it misses its locks. Warns from the second miss on, every `warnEveryMs`.
 * @throws {UnfinishedMigration} after `patienceMs`; the reason of `signal` once that aborts
 */
export async function retryForLocks<T>(
  subject: string,
  attempt: () => Promise<T>,
  {
    times: { pauseMs, warnEveryMs, patienceMs },
    signal,
    onWarning,
  }: {
    times: LockTimes;
    signal: AbortSignal | undefined;
    onWarning: ((message: string) => void) | undefined;
  },
): Promise<T> {
  const startMs = performance.now();
  let nextWarningMs = 0;
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && areLocksMissed(error))) throw error;
      const waitedMs = performance.now() - startMs;
      if (waitedMs >= patienceMs) {
        throw new UnfinishedMigration(
          `${subject}: got no lock in ${patienceMs / SECOND_MS} s (${error.message}). ` +
            `Nothing was changed or recorded. ${WHO_HOLDS_IT}: start again once that has ended`,
        );
      }
      if (tries > 1 && waitedMs >= nextWarningMs) {
        onWarning?.(`${subject}: waits for a lock (${error.message}). ${WHO_HOLDS_IT}`);
        nextWarningMs = waitedMs + warnEveryMs;
      }
    }
    await delay(pauseMs, undefined, { signal });
  }
}
