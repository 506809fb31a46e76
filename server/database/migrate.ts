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

/** The same in every instance, and another than Prisma's 72707369, which the engine takes on a connection of its own. */
export const MIGRATION_LOCK_KEY = 726_120_013;

const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';

/** The migrations could not be applied, and why, in words for whoever operates the database. */
class MigrationError extends OperatorError {
  override readonly name = 'MigrationError';
}

export type ApplyMigrationsOptions = {
  /** The folder of `schema.prisma` and `migrations/`; the project's own by default. */
  prismaFolder?: string;
  /** Told when the database is newer than this code. */
  onWarning?: (message: string) => void;
  /** The variable whose database it is, for messages; `DATABASE_URL` by default. */
  variable?: string;
  /** Aborted to wait no longer, for a connection or another instance; migrations that have begun are finished. */
  signal?: AbortSignal;
};

type Migration = { name: string; script: string; checksum: string };

type MigrationRow = {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
};

type History = {
  pending: Migration[];
  /** In the database only. */
  unknown: MigrationRow[];
  /** Applied, then changed in the code. */
  changed: Migration[];
  /** Begun by someone who is still at it, or who failed. */
  unfinished: MigrationRow | undefined;
};

/**
 * Brings the database at `url` to the newest migration in `prisma/migrations`, as `prisma migrate deploy` does and with
 * the same rows in `_prisma_migrations`. Any number of instances may do so at once: one works, the others wait for it.
 * Where nothing is to be done this is one query, and the engine is not even loaded.
 *
 * A database that is newer than the code is accepted with a warning, since refusing would turn taking back a release
 * into an outage, and our migrations only add. One that is newer and lacks some of ours has another history: refused.
 *
 * @returns the names of the migrations that this call applied
 * @throws {MigrationError} when a migration fails or failed before, was changed after it was applied, or the histories
 * differ; anything that pg throws when the database cannot be reached, or `signal` was aborted while it was waited for
 */
export async function applyMigrations(url: string, options: ApplyMigrationsOptions = {}): Promise<string[]> {
  const prismaFolder = options.prismaFolder ?? PRISMA_FOLDER;
  const migrations = await readMigrations(path.join(prismaFolder, 'migrations'));
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  client.on('error', () => {});
  const giveUp = () => void client.end();
  options.signal?.throwIfAborted();
  options.signal?.addEventListener('abort', giveUp);
  let isConnected = false;
  try {
    await client.connect();
    isConnected = true;
    let history = await readHistory(client, migrations);
    if (history.pending.length > 0 || history.unfinished) {
      await waitForTurn(client);
      history = await readHistory(client, migrations);
    }
    refuseBrokenHistory(history);
    if (history.unknown.length > 0) options.onWarning?.(newerDatabase(history));
    if (history.pending.length === 0) return [];
    options.signal?.throwIfAborted();
    options.signal?.removeEventListener('abort', giveUp);
    return await applyPending(url, prismaFolder, migrations, client, options.variable ?? 'DATABASE_URL');
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
    const ended = client.end();
    // Of a connection that could not even be tried there is no end.
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

async function readHistory(client: pg.Client, migrations: Migration[]): Promise<History> {
  const rows = await readRows(client);
  const rowOf = new Map(rows.map((row) => [row.migration_name, row]));
  const names = new Set(migrations.map(({ name }) => name));
  return {
    pending: migrations.filter(({ name }) => !rowOf.has(name)),
    unknown: rows.filter((row) => !names.has(row.migration_name)),
    changed: migrations.filter(({ name, checksum }) => (rowOf.get(name)?.checksum ?? checksum) !== checksum),
    unfinished: rows.find((row) => row.finished_at === null),
  };
}

async function readRows(client: pg.Client): Promise<MigrationRow[]> {
  try {
    const { rows } = await client.query<MigrationRow>(
      `SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations
       WHERE rolled_back_at IS NULL ORDER BY started_at`,
    );
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** The lock goes with the connection, whatever happens to this process: so it has to be ours alone. */
async function waitForTurn(client: pg.Client): Promise<void> {
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

function refuseBrokenHistory({ pending, unknown, changed, unfinished }: History): void {
  if (unfinished) throw failedMigration(unfinished);
  if (changed.length > 0) {
    throw new MigrationError(
      `Changed after the database applied them: ${listed(changed.map(({ name }) => name))}. ` +
        'Restore these files; what is to change goes into a new migration',
    );
  }
  if (pending.length > 0 && unknown.length > 0) {
    throw new MigrationError(
      `The database has another history: it lacks ${listed(pending.map(({ name }) => name))} ` +
        `and has ${listed(unknown.map((row) => row.migration_name))}, which this code does not know`,
    );
  }
}

function newerDatabase({ unknown }: History): string {
  return `The database is newer than this code, which does not know ${listed(unknown.map((row) => row.migration_name))}`;
}

async function applyPending(
  url: string,
  prismaFolder: string,
  migrations: Migration[],
  client: pg.Client,
  variable: string,
): Promise<string[]> {
  const { NO_FILTERS, withSchemaEngine } = await import('./schemaEngine.ts');
  const schema = await readFile(path.join(prismaFolder, 'schema.prisma'), 'utf8');
  const migrationsList = await listForEngine(path.join(prismaFolder, 'migrations'), migrations);
  try {
    const { appliedMigrationNames } = await withSchemaEngine(url, schema, (engine) =>
      engine.applyMigrations({ migrationsList, filters: NO_FILTERS }),
    );
    return appliedMigrationNames;
  } catch (error) {
    const { unfinished } = await readHistory(client, migrations);
    if (unfinished) throw failedMigration(unfinished);
    const reason = withoutTrace(String(error));
    throw new MigrationError(
      reason.includes('permission denied for schema')
        ? `The user of ${variable} may not create tables: make it the owner of the database, or grant it CREATE on the schema public`
        : `The migrations could not be applied: ${reason}`,
    );
  }
}

async function listForEngine(baseDir: string, migrations: Migration[]): Promise<MigrationList> {
  return {
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
}

function failedMigration({ migration_name, logs }: MigrationRow): MigrationError {
  return new MigrationError(
    `Migration ${migration_name} failed: ${withoutTrace(logs ?? 'it was interrupted')}. Once the cause is mended, run in the database: ` +
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${migration_name}' AND finished_at IS NULL`,
  );
}

/** The engine's messages end in its own call stack and begin with where it was. */
function withoutTrace(message: string): string {
  const [text = ''] = message.split(/\n\s*0: /);
  return text.replace(/^(external connector error|Error querying the database:)\s*/gim, '').trim();
}

function listed(names: string[]): string {
  return names.join(', ');
}
