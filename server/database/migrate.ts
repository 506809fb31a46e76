import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { PROJECT_ROOT } from '../config/paths.ts';
import { OperatorError } from '../errors.ts';

const PRISMA_FOLDER = path.join(PROJECT_ROOT, 'prisma');
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 60_000;

/** Shared by all instances. Differs from Prisma's 72707369, which the engine takes on its own connection. */
export const MIGRATION_LOCK_KEY = 726_120_013;

const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';

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

type Migration = { name: string; script: string; checksum: string };

/** A row of `_prisma_migrations`. */
type AppliedMigration = { name: string; checksum: string; isFinished: boolean; logs: string | null };

/**
 * Brings the database at `url` to the newest migration, as `prisma migrate deploy` does and with the same rows in
 * `_prisma_migrations` (docs/decisions/0004-migrations-by-the-wasm-engine.md). Several instances may do so at once: one works, the
 * others wait. A database that is newer than the code is accepted with a warning, so that a release can be taken back.
 *
 * @returns the names of the migrations that this call applied
 * @throws {MigrationError} when a migration fails or failed before, was edited after it was applied, or the histories diverge;
 *   pg's errors when the database cannot be reached; the reason of `signal` when it aborts
 */
export async function applyMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<string[]> {
  const { prismaFolder = PRISMA_FOLDER, variable = 'DATABASE_URL', onWarning, signal } = options;
  const migrations = await readMigrations(path.join(prismaFolder, 'migrations'));
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  const giveUp = () => void client.end();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp);
  let isConnected = false;
  try {
    await client.connect();
    isConnected = true;
    // Our own look at the table spares most starts the engine: 0.1 s, and 20 MB for as long as the process runs.
    let applied = await readApplied(client);
    if (pendingOf(migrations, applied).length > 0 || applied.some(({ isFinished }) => !isFinished)) {
      await lockMigrations(client);
      applied = await readApplied(client);
    }
    refuseBrokenHistory(migrations, applied);
    const newer = unknownOf(migrations, applied);
    if (newer.length > 0) {
      onWarning?.(`The database is newer than this code, which does not know ${listed(newer)}`);
    }
    if (pendingOf(migrations, applied).length === 0) return [];
    signal?.throwIfAborted();
    signal?.removeEventListener('abort', giveUp);
    try {
      return await applyByEngine(url, prismaFolder, migrations);
    } catch (error) {
      refuseBrokenHistory(migrations, await readApplied(client));
      throw engineFailure(error, variable);
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
    const ended = client.end();
    // A connection that could not even be tried never ends.
    if (isConnected) await ended;
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  try {
    const { rows } = await client.query<AppliedMigration>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished", logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
    );
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** The names of the migrations that the database lacks. */
function pendingOf(migrations: Migration[], applied: AppliedMigration[]): string[] {
  const names = new Set(applied.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The names of the migrations that only the database has. */
function unknownOf(migrations: Migration[], applied: AppliedMigration[]): string[] {
  const names = new Set(migrations.map(({ name }) => name));
  return applied.map(({ name }) => name).filter((name) => !names.has(name));
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

function refuseBrokenHistory(migrations: Migration[], applied: AppliedMigration[]): void {
  const failed = applied.find(({ isFinished }) => !isFinished);
  if (failed !== undefined) {
    const { name, logs } = failed;
    throw new MigrationError(
      `Migration ${name} failed: ${withoutTrace(logs ?? 'it was interrupted')}. Once the cause is mended, run in the database: ` +
        `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL`,
    );
  }
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  const edited = migrations.filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum);
  if (edited.length > 0) {
    throw new MigrationError(
      `Changed after the database applied them: ${listed(edited.map(({ name }) => name))}. ` +
        'Restore these files; what is to change goes into a new migration',
    );
  }
  const [pending, unknown] = [pendingOf(migrations, applied), unknownOf(migrations, applied)];
  if (pending.length > 0 && unknown.length > 0) {
    throw new MigrationError(
      `The database has another history: it lacks ${listed(pending)} ` +
        `and has ${listed(unknown)}, which this code does not know`,
    );
  }
}

async function applyByEngine(url: string, prismaFolder: string, migrations: Migration[]): Promise<string[]> {
  const { NO_FILTERS, withSchemaEngine } = await import('./schemaEngine.ts');
  const schema = await readFile(path.join(prismaFolder, 'schema.prisma'), 'utf8');
  const baseDir = path.join(prismaFolder, 'migrations');
  const migrationsList: MigrationList = {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(baseDir, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  };
  const { appliedMigrationNames } = await withSchemaEngine(url, schema, (engine) =>
    engine.applyMigrations({ migrationsList, filters: NO_FILTERS }),
  );
  return appliedMigrationNames;
}

function engineFailure(error: unknown, variable: string): MigrationError {
  const reason = withoutTrace(String(error));
  return new MigrationError(
    reason.includes('permission denied for schema')
      ? `The user of ${variable} may not create tables: make it the owner of the database, or grant it CREATE on the schema public`
      : `The migrations could not be applied: ${reason}`,
  );
}

/** Strips the engine's own call stack from the end and its prefix from the beginning. */
function withoutTrace(message: string): string {
  const [text = ''] = message.split(/\n\s*0: /);
  return text.replace(/^(external connector error|Error querying the database:)\s*/gim, '').trim();
}

function listed(names: string[]): string {
  return names.join(', ');
}
