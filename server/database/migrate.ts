import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { PROJECT_ROOT } from '../config/paths.ts';
import { OperatorError } from '../errors.ts';
import { toOperatorError } from './databaseFault.ts';
import { requireMigrationRights, requireRights } from './rights.ts';
import { CONNECT_TIMEOUT_MS, LOCK_TIMEOUT_MS, NO_FILTERS, withSchemaEngine } from './schemaEngine.ts';

const PRISMA_FOLDER = path.join(PROJECT_ROOT, 'prisma');

/** Shared by all instances. Differs from Prisma's 72707369, which the engine takes on its own connection. */
export const MIGRATION_LOCK_KEY = 726_120_013;

const LOCK_NOT_AVAILABLE = '55P03';

/** Finds the tables of a database without any applied migration, which the engine names only when it applies one. */
const FOREIGN_TABLES = `
  SELECT tablename AS name FROM pg_tables
  WHERE schemaname = 'public'
    AND NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = '_prisma_migrations')
  ORDER BY 1 LIMIT 3`;

/** Why the migrations could not be applied, in words for the operator of the database. */
class MigrationError extends OperatorError {
  override readonly name = 'MigrationError';
}

export type ApplyMigrationsOptions = {
  /** The folder of `schema.prisma` and `migrations/`; the project's own by default. */
  prismaFolder?: string;
  /** Called when the database is newer than this code. */
  onWarning?: (message: string) => void;
  /** The environment variable of the URL, for messages; `DATABASE_URL` by default. */
  variable?: string;
  /** Aborts waiting for a connection or for another instance; migrations that have begun are finished. */
  signal?: AbortSignal;
};

/** Names of migrations, in order; all lists are empty when database and code agree. */
export type MigrationState = {
  /** The number of migrations in this code. */
  total: number;
  /** Missing in the database. */
  pending: string[];
  /** Found only in the database. */
  unknown: string[];
  /** Begun but not finished: failed, or being applied by another instance. Lists only migrations of this code. */
  unfinished: string[];
  /** Edited after they were applied. */
  edited: string[];
  /** Up to three tables of another program, if no migration was ever applied. */
  foreign: string[];
};

/** Compares a database with this code's migrations, by Prisma's engine. */
type Migrations = {
  client: pg.Client;
  /** Changes nothing. */
  state(): Promise<MigrationState>;
  /** @throws {MigrationError} when the state of the database allows no migration */
  refuseBroken(found: MigrationState): Promise<void>;
  /** Applies what is pending, with `client` holding the lock, and returns the names. */
  apply(): Promise<string[]>;
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
    return found.pending.length === 0 ? [] : migrations.apply();
  });
}

/**
 * Resolves when the database at `url` has every migration of this code; waits for another instance that applies them. Changes nothing.
 * @throws {OperatorError} when it lacks one, and as `applyMigrations` does
 */
export async function requireMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<void> {
  await withMigrations(url, options, async (migrations) => {
    const { pending, total } = await settledState(migrations);
    if (pending.length === 0) return;
    throw new MigrationError(
      `The database ${pending.length === total ? 'has no tables yet' : 'is older than this program'}: ` +
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
  return withMigrations(url, options, async ({ client, state, refuseBroken }) => {
    const found = await state();
    await refuseBroken(found);
    if (found.pending.length > 0) await requireMigrationRights(client);
    return found;
  });
}

/** Returns the state once no other instance is applying migrations. */
async function settledState({ client, state, refuseBroken }: Migrations): Promise<MigrationState> {
  let found = await state();
  if (found.pending.length > 0 || found.unfinished.length > 0) {
    await lockMigrations(client);
    found = await state();
  }
  await refuseBroken(found);
  return found;
}

async function withMigrations<T>(
  url: string,
  { prismaFolder = PRISMA_FOLDER, variable = 'DATABASE_URL', signal }: ApplyMigrationsOptions,
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
    return await withSchemaEngine(url, schema, (engine) => {
      const state = async () => {
        const compared = await stateOf(engine, migrationsList).catch(async (error: unknown) => {
          // The engine drops PostgreSQL's error code, which identifies a missing right.
          await requireRights(client);
          await client.query('SELECT FROM _prisma_migrations LIMIT 0');
          throw engineFailure(error);
        });
        const { rows } = await client.query<{ name: string }>(FOREIGN_TABLES);
        return { ...compared, foreign: rows.map(({ name }) => name) };
      };
      const refuseBroken = (found: MigrationState) => refuseBrokenState(found, { client, variable });
      return use({
        client,
        state,
        refuseBroken,
        async apply() {
          signal?.throwIfAborted();
          signal?.removeEventListener('abort', giveUp);
          await requireMigrationRights(client);
          try {
            return (await engine.applyMigrations({ migrationsList, filters: NO_FILTERS }))
              .appliedMigrationNames;
          } catch (error) {
            await refuseBroken(await state());
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

async function stateOf(
  engine: SchemaEngine,
  migrationsList: MigrationList,
): Promise<Omit<MigrationState, 'foreign'>> {
  const { history, failedMigrationNames, editedMigrationNames } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  const pending =
    history !== null && 'unappliedMigrationNames' in history ? history.unappliedMigrationNames : [];
  const unknown =
    history !== null && 'unpersistedMigrationNames' in history ? history.unpersistedMigrationNames : [];
  return {
    total: migrationsList.migrationDirectories.length,
    pending,
    unknown,
    unfinished: failedMigrationNames.filter((name) => !unknown.includes(name)),
    edited: editedMigrationNames,
  };
}

/** Takes the lock for as long as the connection lasts, which therefore must not be a pooler's. */
async function lockMigrations(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ lock_timeout: string }>('SHOW lock_timeout');
  if (rows[0]?.lock_timeout === '0') {
    throw new MigrationError(
      'Migrations need a connection of their own, and a pooler stands in between: ' +
        'name PostgreSQL itself by DATABASE_DIRECT_URL',
    );
  }
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK_KEY]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    throw new MigrationError(
      `Another instance has been applying migrations for more than ${LOCK_TIMEOUT_MS / 1000} s`,
    );
  }
}

async function refuseBrokenState(
  { pending, unknown, unfinished, edited, foreign }: MigrationState,
  { client, variable }: { client: pg.Client; variable: string },
): Promise<void> {
  if (foreign.length > 0) {
    throw new MigrationError(
      `The database of ${variable} is not this server's: it has tables of something else, such as ${listed(foreign)}. ` +
        'Create a database for this server alone, owned by its user, and name that one',
    );
  }
  const [failed] = unfinished;
  if (failed !== undefined) {
    throw new MigrationError(
      `Migration ${failed} failed: ${await failureLogged(failed, client)}. Once the cause is mended, run in the database: ` +
        `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${failed}' AND finished_at IS NULL`,
    );
  }
  if (edited.length > 0) {
    throw new MigrationError(
      `Changed after the database applied them: ${listed(edited)}. ` +
        'Restore these files; what is to change goes into a new migration',
    );
  }
  if (pending.length > 0 && unknown.length > 0) {
    throw new MigrationError(
      `The database has another history: it lacks ${listed(pending)} ` +
        `and has ${listed(unknown)}, which this code does not know. ` +
        `If it belongs to another program, name another database by ${variable}`,
    );
  }
}

/** Reads why a migration failed from the engine's table; the engine itself does not return it. */
async function failureLogged(name: string, client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ logs: string | null }>(
    `SELECT logs FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
  return withoutTrace(rows[0]?.logs ?? 'it was interrupted');
}

function engineFailure(error: unknown): MigrationError {
  return new MigrationError(`The migrations could not be applied: ${withoutTrace(String(error))}`);
}

/** Strips the engine's own call stack from the end and its prefix from the beginning. */
function withoutTrace(message: string): string {
  const [text = ''] = message.split(/\n\s*0: /);
  return text.replace(/^(external connector error|Error querying the database:)\s*/gim, '').trim();
}

function listed(names: string[]): string {
  return names.join(', ');
}
