import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { PROJECT_ROOT } from '../../config/folders.ts';
import { COMMANDS } from '../../config/installation.ts';
import { OperatorError } from '../../errors.ts';
import { keepsBackend, MIGRATION_LIMITS, openConnection, requireSettings } from '../connection.ts';
import { toOperatorError } from '../databaseErrors.ts';
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
/** The longest that a timer can run, 24 days: creating an index of many rows takes long. */
const NO_QUERY_TIMEOUT_MS = 2 ** 31 - 1;
/** This side too notices a network that is cut, after some minutes. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Creates the table exactly as Prisma's commands do. */
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
  /** Aborts connecting, and stops between tries for a lock; a migration that has begun is finished. */
  signal?: AbortSignal;
  lockTimes?: LockTimes;
  /** Limits every query but the scripts of migrations, which take as long as they need. */
  queryTimeoutMs?: number;
  /** PostgreSQL's limits on the session. */
  limits?: Record<string, string>;
};

/**
 * Brings the database at `url` to the newest migration and records each as `prisma migrate deploy` does
 * (docs/decisions/0032-migrations.md). Several instances may do so at once: one works, the others wait. A database
 * that is newer than the code is accepted with a warning, so that a release can be rolled back.
 *
 * @returns the names of the migrations that this call applied
 * @throws {OperatorError} when the database cannot be used, a migration got no lock for ten minutes, a migration fails,
 *   failed before or was left unfinished, was edited after it was applied, the histories diverge, or the tables belong
 *   to another program; the reason of `signal` when it aborts
 */
export async function applyMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<string[]> {
  const { lockTimes: times = LOCK_TIMES, signal, onWarning } = options;
  return withState(url, options, async (client, found, readState) => {
    let { pending, unknown } = found;
    if (pending.length > 0) {
      await requireMigrationRights(client);
      // Nobody queues behind this lock, so it needs no pauses.
      const tries = { times: { ...times, pauseMs: 0 }, signal, onWarning };
      await requireLockTimeout(client, url, times.lockMs);
      await retryForLocks('Applying migrations', () => lockMigrations(client), tries);
      ({ pending, unknown } = await readState());
    }
    if (unknown.length > 0) {
      onWarning?.(`The database is newer than this code, which does not know ${unknown.join(', ')}`);
    }
    if (pending.length > 0) await client.query(CREATE_HISTORY);
    for (const migration of pending) {
      const apply = () => applyMigration(client, migration);
      await retryForLocks(`Migration ${migration.name}`, apply, { times, signal, onWarning });
    }
    return pending.map(({ name }) => name);
  });
}

/** @throws {OperatorError} when the database at `url` lacks a migration of this code, and as `applyMigrations` does */
export async function requireMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<void> {
  return withState(url, options, async (_client, { pending, total }) => {
    if (pending.length === 0) return;
    const advice = `run ${COMMANDS.migrate}, or start the server`;
    if (pending.length === total) throw new OperatorError(`The database has no tables yet: ${advice}`);
    throw new UnfinishedMigration(`The database is older than this program: ${advice}`);
  });
}

/** Changes nothing, and throws what an attempt to apply what is pending would. */
export function migrationState(url: string, options: ApplyMigrationsOptions = {}): Promise<MigrationState> {
  return withState(url, options, async (client, found) => {
    if (found.pending.length > 0) await requireMigrationRights(client);
    return found;
  });
}

async function withState<T>(
  url: string,
  {
    prismaFolder = PRISMA_FOLDER,
    variable = 'DATABASE_URL',
    lockTimes = LOCK_TIMES,
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    limits = MIGRATION_LIMITS,
    signal,
  }: ApplyMigrationsOptions,
  use: (client: pg.Client, state: MigrationState, readState: () => Promise<MigrationState>) => Promise<T>,
): Promise<T> {
  const migrations = await readMigrations(path.join(prismaFolder, 'migrations'));
  let client: pg.Client | undefined;
  async function readState(connection: pg.Client): Promise<MigrationState> {
    const state = await readMigrationState(connection, migrations).catch(async (error) => {
      await requireRights(connection);
      throw error;
    });
    refuseBrokenState(state, variable);
    return state;
  }
  try {
    const connection = await openConnection(url, {
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      query_timeout: queryTimeoutMs,
      lock_timeout: lockTimes.lockMs,
      limits: { ...limits, application_name: APPLICATION_NAME },
      ...KEEP_ALIVE,
    });
    client = connection;
    await requireSettings(connection, variable);
    // The scripts name no schema.
    await connection.query('SET search_path TO public');
    const state = await readState(connection);
    signal?.throwIfAborted();
    return await use(connection, state, () => readState(connection));
  } catch (error) {
    throw signal?.aborted ? signal.reason : toOperatorError(error, variable);
  } finally {
    await client?.end();
  }
}

/** A proxy such as Neon's drops what is asked for when connecting. */
async function requireLockTimeout(client: pg.Client, url: string, lockMs: number): Promise<void> {
  const { rows } = await client.query<{ lock_timeout: string }>('SHOW lock_timeout');
  if (rows[0]?.lock_timeout !== '0') return;
  if (!(await keepsBackend(url, QUERY_TIMEOUT_MS))) {
    throw new OperatorError(
      'Migrations need a connection of their own, and a pooler stands in between: ' +
        'name PostgreSQL itself by DATABASE_DIRECT_URL',
    );
  }
  await client.query(`SET lock_timeout = ${lockMs}`);
}

async function lockMigrations(client: pg.Client): Promise<void> {
  // Otherwise a role's statement_timeout could end the creation of a large index.
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
