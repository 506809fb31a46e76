import { createHmac, type KeyObject } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { codesOf, failureInWords } from '../database/databaseErrors.ts';
import { rateLimited } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { networksOf } from '../http/ipAddress.ts';
import { BUSY_RETRY_AFTER_MS } from '../http/limitPerGroup.ts';
import type { DeviceBrowser } from './signedJwt.ts';
import { createSemaphorePerGroup, MAX_AT_ONCE, SIGN_IN_LIMITS, SIGN_IN_WINDOW_MS } from './signInLimits.ts';

/** An attempt without an outcome counts as under way for this long: its instance may have been killed. */
export const MAX_UNDER_WAY_MS = 5_000;

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const MAX_TRIES = 5;

/**
 * At most `limit` failures in a window. `subject` is hashed as it stands: changing its first word in a release would
 * reset all counts.
 */
export type Counter = { limit: number; subject: readonly (string | number)[] };

/**
 * The counters of one attempt. A failure adds one to each; a success sets only `own` to 0. The subject of an account's
 * counter contains its `attemptsVersion` (0 for an unknown username). `account unlock`, `set-password` and `rename` raise
 * that version, so that earlier failures no longer count against the account.
 */
export type Counters = { own: Counter; shared: readonly Counter[] };

/** `unchecked`: the password was not compared, since the hash queue refused or something failed. */
export type AttemptOutcome = 'succeeded' | 'failed' | 'unchecked';

/**
 * An attempt that counts as under way; call `end` once. It never rejects, so that it cannot change the outcome: an end
 * that the database did not store is logged.
 */
export type Attempt = { end(outcome: AttemptOutcome): Promise<void> };

export type AttemptLog = Pick<FastifyBaseLogger, 'warn'>;

export function countersOfBrowser({ id, accountId }: DeviceBrowser, attemptsVersion: number): Counters {
  return {
    own: { limit: SIGN_IN_LIMITS.knownBrowser, subject: ['browser', id, attemptsVersion] },
    shared: [counterOfAllBrowsers(accountId, attemptsVersion)],
  };
}

export function counterOfAllBrowsers(accountId: string, attemptsVersion: number): Counter {
  return { limit: SIGN_IN_LIMITS.allKnownBrowsers, subject: ['browsers', accountId, attemptsVersion] };
}

export function countersOfNetwork(username: string, attemptsVersion: number, address: string): Counters {
  const networks = networksOf(address);
  return {
    own: {
      limit: SIGN_IN_LIMITS.usernameInNetwork,
      subject: ['account', username, attemptsVersion, networks[0]],
    },
    shared: networks.map((network) => ({ limit: SIGN_IN_LIMITS.network, subject: ['network', network] })),
  };
}

/**
 * Counts attempts exactly, however many are made at once and on however many instances, by the database's clock
 * (docs/decisions/0009-sign-in-limits.md).
 */
export function createAttemptCounts(prisma: PrismaClient, secret: KeyObject) {
  const keyOf = (counter: Counter) => attemptKey(counter, secret);

  // Stays below the limit of each own counter: otherwise correct passwords sent at the same moment would exhaust it.
  const acquire = createSemaphorePerGroup({ maxAtOnce: MAX_AT_ONCE.counted });

  /**
   * Adds one attempt under way to every counter, or to none if one refuses it. First waits until fewer than
   * `MAX_AT_ONCE.counted` attempts of the own counter are under way on this instance.
   * @throws {CodedError} `RATE_LIMITED`; `retryAfterSeconds` lasts until all full windows have ended, and is 1 if the
   *   limit is reached only by attempts under way
   */
  async function begin({ own, shared }: Counters, log?: AttemptLog): Promise<Attempt> {
    const counters = [own, ...shared];
    const keys = counters.map(keyOf);
    const maxFailures = counters.map(({ limit }) => limit);
    const release = await acquire(keyOf(own));
    try {
      const { waitMs, until } = await repeatAfterRace(() => startAttempt(keys, maxFailures));
      if (waitMs !== null) {
        // A wait this short means that attempts under way reach the limit, or that a full window is about to end.
        const reason = waitMs <= BUSY_RETRY_AFTER_MS ? 'AT_ONCE' : 'USED_UP';
        throw rateLimited(reason, 'Too many attempts to sign in', waitMs);
      }
      return {
        async end(outcome) {
          try {
            if (outcome === 'failed') await repeatAfterRace(() => recordFailure(keys, until));
            else await endAttempt(outcome === 'succeeded' ? keyOf(own) : null, keys, until);
          } catch (error) {
            log?.warn({ outcome, reason: failureInWords(error) }, 'the end of a sign-in was not counted');
          }
          release();
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  // Raw SQL, here and below: one statement counts exactly on the database's clock, whatever runs at the same time. It
  // takes its rows in the order of their keys, so that few statements deadlock (see `repeatAfterRace`).
  async function startAttempt(keys: readonly string[], maxFailures: readonly number[]) {
    const [decision] = await prisma.$queryRaw<[{ waitMs: number | null; until: string }]>`
      -- The counters of this attempt.
      WITH counters AS (
        SELECT key, max_failures FROM unnest(${keys}::text[], ${maxFailures}::int[]) AS counter (key, max_failures)
      ),
      -- Their rows, as far as there are any. Other attempts that share one wait here.
      locked_rows AS MATERIALIZED (
        SELECT * FROM public.attempts WHERE key = ANY (${keys}::text[]) ORDER BY key FOR UPDATE
      ),
      -- What counts now: the failures of a window that has not ended, and the attempts under way.
      current_counts AS (
        SELECT key, max_failures, now_valid.failures, new_window_end,
          ARRAY (SELECT * FROM unnest(under_way) AS until WHERE until > now() AND until < implausible_until) AS under_way,
          -- At most 15 minutes from now, even if the database's clock was set back since.
          CASE WHEN now_valid.failures > 0 THEN LEAST(expires_at, new_window_end) ELSE new_window_end END AS window_end
        FROM counters LEFT JOIN locked_rows USING (key), LATERAL (
          SELECT
            CASE WHEN expires_at > now() THEN locked_rows.failures ELSE 0 END AS failures,
            now() + ${SIGN_IN_WINDOW_MS} * interval '1 millisecond' AS new_window_end,
            -- Attempts that would count until then or longer began before the database's clock was set back. Twice as
            -- long as they count, since a statement that waited for a lock has an earlier now() than those it finds.
            now() + ${2 * MAX_UNDER_WAY_MS} * interval '1 millisecond' AS implausible_until
        ) AS now_valid
      ),
      -- How long the attempt must wait, null if it may go on. An attempt under way is stored as the time until which it
      -- counts. Each counts longer than those before, so that no two are equal.
      decision AS (
        SELECT
          max(CASE
            WHEN failures >= max_failures THEN window_end - now()
            WHEN failures + cardinality(under_way) >= max_failures THEN ${BUSY_RETRY_AFTER_MS} * interval '1 millisecond'
          END) AS wait,
          GREATEST(
            now() + ${MAX_UNDER_WAY_MS} * interval '1 millisecond',
            (SELECT max(until) + interval '1 microsecond' FROM current_counts, unnest(current_counts.under_way) AS until)
          ) AS until
        FROM current_counts
      ),
      -- Adds the attempt to the rows that exist. A refused attempt only cuts windows that end too late.
      updated_rows AS (
        UPDATE public.attempts SET failures = current_counts.failures, expires_at = window_end,
          under_way = CASE WHEN wait IS NULL THEN current_counts.under_way || until ELSE current_counts.under_way END
        FROM current_counts, decision
        WHERE attempts.key = current_counts.key AND (wait IS NULL OR attempts.expires_at > new_window_end)
      ),
      -- Adds the attempt in new rows.
      inserted_rows AS (
        INSERT INTO public.attempts (key, failures, expires_at, under_way)
        SELECT key, 0, new_window_end, ARRAY[until] FROM current_counts, decision
        WHERE wait IS NULL AND NOT EXISTS (SELECT FROM locked_rows WHERE locked_rows.key = current_counts.key)
        ORDER BY key
      )
      SELECT ceil(extract(epoch FROM wait) * 1000)::integer AS "waitMs", until::text FROM decision`;
    return decision;
  }

  function endAttempt(reset: string | null, keys: readonly string[], until: string) {
    return prisma.$executeRaw`
      WITH locked AS MATERIALIZED (
        SELECT key FROM public.attempts WHERE key = ANY (${keys}::text[]) ORDER BY key FOR UPDATE
      )
      UPDATE public.attempts SET
        failures = CASE WHEN attempts.key = ${reset}::text THEN 0 ELSE failures END,
        under_way = array_remove(under_way, ${until}::timestamptz)
      FROM locked WHERE attempts.key = locked.key`;
  }

  // Inserts the row if it was pruned meanwhile.
  function recordFailure(keys: readonly string[], until: string) {
    return prisma.$executeRaw`
      INSERT INTO public.attempts (key, failures, expires_at)
      SELECT key, 1, now() + ${SIGN_IN_WINDOW_MS} * interval '1 millisecond'
      FROM unnest(${keys}::text[]) AS failed (key) ORDER BY key
      ON CONFLICT (key) DO UPDATE SET
        failures = attempts.failures + 1,
        under_way = array_remove(attempts.under_way, ${until}::timestamptz)`;
  }

  return { begin };
}

export function attemptKey({ subject }: Counter, secret: KeyObject): string {
  // This secret signs JWTs too. The input starts with `[`, so its HMAC can never be the signature of a JWT.
  return createHmac('sha256', secret).update(JSON.stringify(subject)).digest('hex');
}

/**
 * Repeats a statement that lost to another one: both inserted the same row, or they waited for each other. An attempt
 * that starts locks the rows that it finds, and only then inserts the others. So it can deadlock with another start, or
 * with a failure, that has inserted one of these and waits for one of the locked ones.
 */
async function repeatAfterRace<T>(statement: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement();
    } catch (error) {
      const { originalCode } = error instanceof Error ? codesOf(error) : {};
      const isRace = originalCode === UNIQUE_VIOLATION || originalCode === DEADLOCK;
      if (tries === MAX_TRIES || !isRace) throw error;
    }
  }
}
