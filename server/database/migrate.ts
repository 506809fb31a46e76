import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { PROJECT_ROOT } from '../config/paths.ts';
import { OperatorError } from '../errors.ts';
import { toOperatorError } from './explainDatabaseError.ts';
import { resolveInterrupted } from './interruptedMigration.ts';
import {
  engineFailure,
  listed,
  type MigrationState,
  readMigrationState,
  refuseBrokenState,
} from './migrationState.ts';
import { requireMigrationRights, requireRights } from './rights.ts';
import { NO_FILTERS, withSchemaEngine } from './schemaEngine.ts';

const PRISMA_FOLDER = path.join(PROJECT_ROOT, 'prisma');

export const MIGRATION_LOCK_KEY = 726_120_013;

/** Held by Prisma's own commands, and by a migration that a killed release before 1.2.0 left running in PostgreSQL. */
const PRISMA_LOCK_KEY = 72_707_369;

const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

export type ApplyMigrationsOptions = {
  prismaFolder?: string;
  onWarning?: (message: string) => void;
  variable?: string;
  /** Aborts waiting for a connection or for another instance; migrations that have begun are finished. */
  signal?: AbortSignal;
};

type Migrations = {
  client: pg.Client;
  /** Throws when migrations cannot go on from here, as `refuseBrokenState` does. */
  state(): Promise<MigrationState>;
  /** Resolves interrupted migrations, applies pending ones and returns their names. `client` must hold the lock. */
  apply(found: MigrationState): Promise<string[]>;
};

/**
 * Brings the database at `url` to the newest migration, as `prisma migrate deploy` does and with the same rows in
 * `_prisma_migrations` (docs/decisions/0004-migrations-by-the-wasm-engine.md). Several instances may do so at once: one works, the
 * others wait. A database that is newer than the code is accepted with a warning, so that a release can be taken back.
 *
 * @returns the names of the migrations that this call applied
 * @throws {OperatorError} when the database cannot be used, a migration fails or failed before, was edited after it was applied, the
 *   histories diverge, or the tables are of something else; the reason of `signal` when it aborts
 */
export async function applyMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<string[]> {
  return withMigrations(url, options, async (migrations) => {
    const found = await settledState(migrations);
    if (found.unknown.length > 0) {
      options.onWarning?.(
        `The database is newer than this code, which does not know ${listed(found.unknown)}`,
      );
    }
    return isComplete(found) ? [] : migrations.apply(found);
  });
}

/**
 * Resolves when the database at `url` has every migration of this code; waits for another instance that applies them. Changes nothing.
 * @throws {OperatorError} when it lacks one, and as `applyMigrations` does
 */
export async function requireMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<void> {
  await withMigrations(url, options, async (migrations) => {
    const found = await settledState(migrations);
    if (isComplete(found)) return;
    throw new OperatorError(
      `The database ${found.pending.length === found.total ? 'has no tables yet' : 'is older than this program'}: ` +
        'run npm run migrate, or start the server',
    );
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
  return withMigrations(url, options, async ({ client, state }) => {
    const found = await state();
    if (!isComplete(found)) await requireMigrationRights(client);
    return found;
  });
}

function isComplete({ pending, interrupted }: MigrationState): boolean {
  return pending.length === 0 && interrupted.length === 0;
}

async function settledState({ client, state }: Migrations): Promise<MigrationState> {
  const found = await state();
  if (isComplete(found)) return found;
  await lockMigrations(client);
  return state();
}

async function withMigrations<T>(
  url: string,
  { prismaFolder = PRISMA_FOLDER, variable = 'DATABASE_URL', signal, onWarning }: ApplyMigrationsOptions,
  use: (migrations: Migrations) => Promise<T>,
): Promise<T> {
  const schema = await readFile(path.join(prismaFolder, 'schema.prisma'), 'utf8');
  const migrationsList = await readMigrations(path.join(prismaFolder, 'migrations'));
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  const giveUp = () => void client.end();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp);
  try {
    await client.connect();
    return await withSchemaEngine(client, schema, (engine) => {
      const state = async () => {
        const found = await readMigrationState(engine, client, migrationsList).catch(async (error) => {
          // The engine drops PostgreSQL's error code, which identifies a missing right.
          await requireRights(client);
          await client.query('SELECT FROM _prisma_migrations LIMIT 0');
          throw engineFailure(error);
        });
        refuseBrokenState(found, variable);
        return found;
      };
      return use({
        client,
        state,
        async apply({ interrupted }) {
          signal?.throwIfAborted();
          signal?.removeEventListener('abort', giveUp);
          await requireMigrationRights(client);
          try {
            for (const name of interrupted) {
              const outcome = await inTransaction(client, () =>
                resolveInterrupted(name, { engine, client, migrationsList }),
              );
              onWarning?.(`Migration ${name} was interrupted: ${outcome}`);
            }
            const { pending } = await state();
            for (const at of pending.keys()) {
              const upToThis = without(pending.slice(at + 1), migrationsList);
              await inTransaction(client, () =>
                engine.applyMigrations({ migrationsList: upToThis, filters: NO_FILTERS }),
              );
            }
            return pending;
          } catch (error) {
            await state();
            throw engineFailure(error);
          }
        },
      });
    });
  } catch (error) {
    throw toOperatorError(error, variable);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    await client.end();
  }
}

/**
 * Runs `work` in one transaction, so that a killed process leaves both a migration and its record, or neither. Commits after a failure
 * too, so that the record of a failed migration stays; after any other failed statement PostgreSQL rolls back instead.
 */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    return await work();
  } finally {
    await client.query('COMMIT');
  }
}

async function readMigrations(baseDir: string): Promise<MigrationList> {
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = (...file: string[]) => readFile(path.join(baseDir, ...file), 'utf8');
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: await read('migration_lock.toml') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await read(name, 'migration.sql') },
        },
      })),
    ),
  };
}

function without(names: string[], list: MigrationList): MigrationList {
  return {
    ...list,
    migrationDirectories: list.migrationDirectories.filter(({ path }) => !names.includes(path)),
  };
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
  try {
    for (const key of [MIGRATION_LOCK_KEY, PRISMA_LOCK_KEY]) {
      await client.query('SELECT pg_advisory_lock($1)', [key]);
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    throw new OperatorError(
      `Another instance has been applying migrations for more than ${LOCK_TIMEOUT_MS / 1000} s`,
    );
  }
}
