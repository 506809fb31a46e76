import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts';
import { openConnection } from '../connection.ts';
import { UnfinishedMigration } from './migrationState.ts';

/** SQLSTATEs: no lock in time, a deadlock, a statement that somebody cancelled. */
const LOCKS_MISSED = /^(55P03|40P01|57014)$/;

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

const POLL_MS = 50;
const HOLDERS_TIMEOUT_MS = 5_000;

/** PostgreSQL shows state and times of another role's session to members of that role and of pg_read_all_stats only. */
const HOLDERS = `
  SELECT DISTINCT holder.pid, application_name, usename, state, coalesce(xact_start, state_change) AS since
  FROM unnest(pg_blocking_pids($1)) AS holder (pid) LEFT JOIN pg_stat_activity USING (pid)`;

type Holder = {
  /** 0 for a prepared transaction. */
  pid: number;
  application_name: string | null;
  usename: string | null;
  state: string | null;
  since: Date | null;
};

export type LockTryOptions = {
  client: pg.Client;
  url: string;
  subject: string;
  times: LockTimes;
  signal: AbortSignal | undefined;
  onWarning: ((message: string) => void) | undefined;
};

export function areLocksMissed({ code = '' }: pg.DatabaseError): boolean {
  return LOCKS_MISSED.test(code);
}

/**
 * Repeats `attempt` for as long as it misses its locks. From the second try on, every `warnEveryMs`, warns who holds
 * them.
 * @throws {UnfinishedMigration} after `patienceMs`; another error once `signal` aborts
 */
export async function retryForLocks<T>(
  attempt: () => Promise<T>,
  { client, url, subject, times, signal, onWarning }: LockTryOptions,
): Promise<T> {
  const giveUpAt = performance.now() + times.patienceMs;
  let warnAt = 0;
  let holders: string | null = null;
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    const isWarning = tries > 1 && performance.now() >= warnAt;
    const watch = isWarning ? await watchHolders(client, url) : null;
    let missed: pg.DatabaseError;
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && areLocksMissed(error))) throw error;
      missed = error;
    } finally {
      if (watch !== null) holders = await watch.stop();
    }
    const cause = holders === null ? missed.message : `waits for a lock of ${holders}`;
    if (isWarning) {
      onWarning?.(`${subject}: ${cause}`);
      warnAt = performance.now() + times.warnEveryMs;
    }
    if (performance.now() >= giveUpAt) {
      throw new UnfinishedMigration(
        `${subject}: tried for ${times.patienceMs / SECOND_MS} s without success: ${cause}. ` +
          'Nothing was changed or recorded: start again once that has ended',
      );
    }
    await delay(times.pauseMs, undefined, { signal });
  }
}

async function watchHolders(client: pg.Client, url: string) {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  let isOver = false;
  // Without a free connection the line has no names, but the migration goes on.
  const observer = await openConnection(url, { timeoutMs: HOLDERS_TIMEOUT_MS }).catch(() => null);
  async function look(): Promise<string | null> {
    if (observer === null) return null;
    while (!isOver) {
      const holders = await observer.query<Holder>(HOLDERS, [rows[0]?.pid]);
      if (holders.rows.length > 0) return holders.rows.map(describeHolder).join(', and of ');
      await delay(POLL_MS);
    }
    return null;
  }
  const found = look().catch(() => null);
  return {
    async stop(): Promise<string | null> {
      isOver = true;
      const holders = await found;
      await observer?.end();
      return holders;
    },
  };
}

function describeHolder({ pid, application_name: application, usename: user, state, since }: Holder): string {
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)';
  const seen = [
    `pid ${pid}`,
    application && `application_name ${application}`,
    user === null ? "one of PostgreSQL's own processes, such as autovacuum" : `user ${user}`,
    state === null ? 'whose state this user may not see' : `${state} since ${since?.toISOString()}`,
  ];
  return seen.filter(Boolean).join(', ');
}
