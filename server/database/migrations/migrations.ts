import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { COMMANDS } from '../../config/commandNames.ts';
import { PROJECT_ROOT } from '../../config/folders.ts';
import { OperatorError } from '../../errors.ts';
import { applySettings, requireSettings } from '../connection.ts';
import { toOperatorError } from '../errors/explainDatabaseError.ts';
import { requireMigrationRights, requireRights } from '../rights.ts';
import { areLocksMissed, LOCK_TIMES, type LockTimes, retryForLocks } from './migrationLocks.ts';
import {
  type Migration,
  type MigrationState,
  readMigrationState,
  readMigrations,
  refuseBrokenState,
  UnfinishedMigration,
  unfinishedMigration,
} from './migrationState.ts';

const PRISMA_FOLDER = path.join(PROJECT_ROOT, 'prisma');

/** Prisma's commands take this lock too. */
export const MIGRATION_LOCK_KEY = 72_707_369;

const APPLICATION_NAME = 'audio-migrations';
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
/** The longest time of a timer, 24 days: an index of many rows takes long. */
const NO_QUERY_TIMEOUT_MS = 2 ** 31 - 1;
/** A command does not wait as long as a start does: its operator does something else then. */
const COMMAND_PATIENCE_MS = 5_000;

/** As Prisma's commands make it. */
const CREATE_HISTORY = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;
const RECORD_APPLIED = `
  INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, clock_timestamp(), 1)`;
const RECORD_FAILED =
  'INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)';

export type ApplyMigrationsOptions = {
  prismaFolder?: string;
  onWarning?: (message: string) => void;
  variable?: string;
  /** Aborts waiting for a connection, another instance or a lock; a migration that has begun is finished. */
  signal?: AbortSignal;
  lockTimes?: LockTimes;
};

/**
 * Brings the database at `url` to the newest migration and records each as `prisma migrate deploy` does
 * (docs/decisions/0032-migrations.md). Several instances may do so at once: one works, the others wait. A database
 * that is newer than the code is accepted with a warning, so that a release can be taken back.
 *
 * @returns the names of the migrations that this call applied
 * @throws {OperatorError} when the database cannot be used, a migration got no lock for ten minutes, a migration fails,
 *   failed before or was left unfinished, was edited after it was applied, the histories diverge, or the tables belong
 *   to another program; the reason of `signal` when it aborts
 */
export async function applyMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<string[]> {
  return withState(url, options, 'wait', async (client, { pending, unknown }, retry) => {
    if (unknown.length > 0) {
      options.onWarning?.(`The database is newer than this code, which does not know ${unknown.join(', ')}`);
    }
    if (pending.length === 0) return [];
    await requireMigrationRights(client);
    await client.query(CREATE_HISTORY);
    for (const migration of pending) {
      await retry(`Migration ${migration.name}`, () => applyMigration(client, migration));
    }
    return pending.map(({ name }) => name);
  });
}

/**
 * Resolves when the database at `url` has every migration of this code; waits a few seconds for another instance that
 * applies them. Changes nothing.
 * @throws {OperatorError} when it lacks one, and as `applyMigrations` does
 */
export async function requireMigrations(
  url: string,
  { lockTimes = { ...LOCK_TIMES, patienceMs: COMMAND_PATIENCE_MS }, ...options }: ApplyMigrationsOptions = {},
): Promise<void> {
  await withState(url, { ...options, lockTimes }, 'wait', async (_client, { pending, total }) => {
    if (pending.length === 0) return;
    const advice = `run ${COMMANDS.migrate}, or start the server`;
    if (pending.length === total) throw new OperatorError(`The database has no tables yet: ${advice}`);
    throw new UnfinishedMigration(`The database is older than this program: ${advice}`);
  });
}

/**
 * Compares the database at `url` with this code. Waits for no other instance, and changes nothing.
 * @throws {OperatorError} as an attempt to apply what is pending would
 */
export async function migrationState(
  url: string,
  options: ApplyMigrationsOptions = {},
): Promise<MigrationState> {
  return withState(url, options, 'look', async (client, found) => {
    if (found.pending.length > 0) await requireMigrationRights(client);
    return found;
  });
}

type Retry = <T>(subject: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * Opens a connection, reads the state and runs `use`. `signal` closes the connection only before `use`.
 * @param mode - `wait`: takes the lock first where migrations are pending
 * @param use - its third argument repeats what misses its locks
 * @throws {OperatorError} in a state from which migrations cannot go on
 */
async function withState<T>(
  url: string,
  options: ApplyMigrationsOptions,
  mode: 'wait' | 'look',
  use: (client: pg.Client, state: MigrationState, retry: Retry) => Promise<T>,
): Promise<T> {
  const { prismaFolder = PRISMA_FOLDER, variable = 'DATABASE_URL', signal, onWarning } = options;
  const times = options.lockTimes ?? LOCK_TIMES;
  const migrations = await readMigrations(path.join(prismaFolder, 'migrations'));
  const client = new pg.Client({
    connectionString: url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    lock_timeout: times.lockMs,
  });
  client.on('error', () => {});
  const giveUp = () => void client.end();
  const readState = async () => {
    const found = await readMigrationState(client, migrations).catch(async (error) => {
      await requireRights(client);
      throw error;
    });
    refuseBrokenState(found, variable);
    return found;
  };
  const readStateAlone = async () => {
    const found = await readState();
    if (found.pending.length === 0) return found;
    await lockMigrations(client);
    return readState();
  };
  const lockTries = { client, url, times, signal, onWarning };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp);
  try {
    await client.connect();
    await applySettings(client);
    await requireSettings(client, variable);
    // The scripts name no schema.
    await client.query('SET search_path TO public');
    // Nobody queues behind this lock, so it needs no pauses.
    const found = await (mode === 'look'
      ? readState()
      : retryForLocks(readStateAlone, {
          ...lockTries,
          subject: 'Applying migrations',
          times: { ...times, pauseMs: 0 },
        }));
    signal?.throwIfAborted();
    signal?.removeEventListener('abort', giveUp);
    return await use(client, found, (subject, attempt) => retryForLocks(attempt, { ...lockTries, subject }));
  } catch (error) {
    throw signal?.aborted ? signal.reason : toOperatorError(error, variable);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    await client.end();
  }
}

/** Takes the lock for as long as the connection lasts, which therefore must not be a pooler's. */
async function lockMigrations(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ lock_timeout: string }>('SHOW lock_timeout');
  if (rows[0]?.lock_timeout === '0') {
    throw new OperatorError(
      'Migrations need a connection of their own, and a pooler stands in between: ' +
        'name PostgreSQL itself by DATABASE_DIRECT_URL',
    );
  }
  // Otherwise a role's statement_timeout could end the making of a large index.
  await client.query('SET statement_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
}

/**
 * Runs a script and records it in one transaction, so that a killed process leaves both or neither. A refusal by
 * PostgreSQL is recorded in a transaction of its own and stops later starts: a restart would lock the tables again
 * and again. Locks that were missed are no refusal.
 */
async function applyMigration(client: pg.Client, { name, script, checksum }: Migration): Promise<void> {
  const row = [randomUUID(), checksum, name];
  const unlimited = { text: script, query_timeout: NO_QUERY_TIMEOUT_MS };
  try {
    await client.query('BEGIN');
    await client.query(unlimited);
    await client.query(RECORD_APPLIED, row);
    await client.query('COMMIT');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('ROLLBACK');
    if (areLocksMissed(error)) throw error;
    const logs = `${error.severity}: ${error.message}`;
    await client.query(RECORD_FAILED, [...row, logs]);
    throw unfinishedMigration({ name, logs });
  }
}
