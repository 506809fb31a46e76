import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../errors.ts';

const MIGRATIONS_TABLE = '_prisma_migrations';
const FOREIGN_TABLES_NAMED = 3;

/** `prisma migrate` ignores rows of migrations that were rolled back, and so do we. */
const HISTORY = `
  SELECT migration_name AS name, checksum, logs, finished_at IS NOT NULL AS "isFinished"
  FROM ${MIGRATIONS_TABLE} WHERE rolled_back_at IS NULL ORDER BY started_at`;

const MISPLACED = `
  SELECT schemaname AS schema FROM pg_tables
  WHERE schemaname <> 'public' AND tablename IN ('${MIGRATIONS_TABLE}', 'token_records', 'audit_lines')
  GROUP BY 1 HAVING count(*) = 3`;

export type Migration = { name: string; script: string; checksum: string };

type HistoryRow = { name: string; checksum: string; logs: string | null; isFinished: boolean };

/** Names of migrations, in order; all lists are empty when database and code agree. */
export type MigrationState = {
  total: number;
  pending: Migration[];
  unknown: string[];
  /** Refused by PostgreSQL, whose words `logs` holds, or begun by Prisma's commands without an outcome. */
  unfinished: Array<{ name: string; logs: string | null }>;
  edited: string[];
  foreign: string[];
  /** The schema that holds our tables instead of public, as an earlier release made them by `search_path`; else null. */
  misplacedIn: string | null;
};

export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: checksumOf(script) };
    }),
  );
}

export async function readMigrationState(
  client: pg.Client,
  migrations: Migration[],
): Promise<MigrationState> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const names = tables.map(({ name }) => name);
  const isOurs = names.includes(MIGRATIONS_TABLE);
  const { rows: misplaced } = await client.query<{ schema: string }>(MISPLACED);
  const history = isOurs ? (await client.query<HistoryRow>(HISTORY)).rows : [];
  // An earlier release could look for its tables in another schema, and so try applied migrations again.
  const isApplied = (name: string) => history.some((row) => row.name === name && row.isFinished);
  const known = (name: string) => migrations.find((migration) => migration.name === name);
  return {
    total: migrations.length,
    pending: migrations.filter(({ name }) => !history.some((row) => row.name === name)),
    unknown: history.map(({ name }) => name).filter((name) => !known(name)),
    unfinished: history.filter(({ name, isFinished }) => !isFinished && !isApplied(name) && known(name)),
    edited: history.filter((row) => isEdited(row, known(row.name))).map(({ name }) => name),
    foreign: isOurs ? [] : names.slice(0, FOREIGN_TABLES_NAMED),
    misplacedIn: isOurs ? null : (misplaced[0]?.schema ?? null),
  };
}

export function refuseBrokenState(
  { pending, unknown, unfinished: [unfinished], edited, foreign, misplacedIn }: MigrationState,
  variable: string,
): void {
  if (misplacedIn !== null) {
    throw new OperatorError(
      `The tables in the database of ${variable} are in the schema ${misplacedIn}, and public is needed: as its owner run ` +
        `ALTER SCHEMA public RENAME TO public_before; ALTER SCHEMA "${misplacedIn}" RENAME TO public; and start again. ` +
        'What public holds now, such as an extension, is then in public_before',
    );
  }
  if (foreign.length > 0) {
    throw new OperatorError(
      `The database of ${variable} is not this server's: it has tables of another program, such as ${foreign.join(', ')}. ` +
        'Create a database for this server alone, owned by its user, and name that one',
    );
  }
  if (unfinished !== undefined) throw unfinishedMigration(unfinished);
  if (edited.length > 0) {
    throw new OperatorError(
      `Changed after the database applied them: ${edited.join(', ')}. ` +
        'Restore these files; what is to change goes into a new migration',
    );
  }
  if (pending.length > 0 && unknown.length > 0) {
    throw new OperatorError(
      `The database has another history: it lacks ${pending.map(({ name }) => name).join(', ')} ` +
        `and has ${unknown.join(', ')}, which this code does not know. ` +
        `If it belongs to another program, name another database by ${variable}`,
    );
  }
}

/** The database lacks a migration of this release, so only the commands of the release before work. */
export class UnfinishedMigration extends OperatorError {}

export function unfinishedMigration({
  name,
  logs,
}: MigrationState['unfinished'][number]): UnfinishedMigration {
  const update = `UPDATE ${MIGRATIONS_TABLE} SET`;
  const where = `WHERE migration_name = '${name}' AND finished_at IS NULL`;
  if (logs === null) {
    return new UnfinishedMigration(
      `Migration ${name} was begun by another program, which recorded no outcome. If that no longer runs, see whether the database ` +
        `has what the migration makes. If it has, run there: ${update} finished_at = now(), applied_steps_count = 1 ${where}; ` +
        `if not: ${update} rolled_back_at = now() ${where}`,
    );
  }
  return new UnfinishedMigration(
    `Migration ${name} failed: ${logs}. Once the cause is fixed, run in the database: ` +
      `${update} rolled_back_at = now() ${where}`,
  );
}

/** Accepts other line ends, as Prisma does: git may have changed them. */
function isEdited(row: HistoryRow, migration: Migration | undefined): boolean {
  if (migration === undefined) return false;
  const unix = migration.script.replaceAll('\r\n', '\n');
  return ![unix, unix.replaceAll('\n', '\r\n')].map(checksumOf).includes(row.checksum);
}

function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex');
}
