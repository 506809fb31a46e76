import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';
import { OperatorError } from '../errors.ts';
import { NO_FILTERS } from './schemaEngine.ts';

/** Finds the tables of a database without any applied migration, which the engine names only when it applies one. */
const FOREIGN_TABLES = `
  SELECT tablename AS name FROM pg_tables
  WHERE schemaname = 'public'
    AND NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = '_prisma_migrations')
  ORDER BY 1 LIMIT 3`;

/** The engine records why a migration failed, but does not return it. */
const FAILURES = `
  SELECT migration_name AS name, logs FROM _prisma_migrations
  WHERE migration_name = ANY ($1) AND finished_at IS NULL AND rolled_back_at IS NULL AND logs IS NOT NULL`;

/** Names of migrations, in order; all lists are empty when database and code agree. */
export type MigrationState = {
  total: number;
  pending: string[];
  /** Of a newer release or another program. */
  unknown: string[];
  /** Begun without a recorded outcome. Like `failed`, lists only migrations of this code. */
  interrupted: string[];
  failed: Failure[];
  edited: string[];
  /** Up to three tables of another program, if no migration was ever applied. */
  foreign: string[];
};

type Failure = { name: string; logs: string };

export async function readMigrationState(
  engine: SchemaEngine,
  client: pg.Client,
  migrationsList: MigrationList,
): Promise<MigrationState> {
  const { history, failedMigrationNames, editedMigrationNames } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  const unapplied =
    history !== null && 'unappliedMigrationNames' in history ? history.unappliedMigrationNames : [];
  const unknown =
    history !== null && 'unpersistedMigrationNames' in history ? history.unpersistedMigrationNames : [];
  const unfinished = failedMigrationNames.filter((name) => !unknown.includes(name));
  const failed = unfinished.length === 0 ? [] : (await client.query<Failure>(FAILURES, [unfinished])).rows;
  const { rows: foreign } = await client.query<{ name: string }>(FOREIGN_TABLES);
  return {
    total: migrationsList.migrationDirectories.length,
    pending: unapplied.filter((name) => !unfinished.includes(name)),
    unknown,
    interrupted: unfinished.filter((name) => !failed.some((failure) => failure.name === name)),
    failed,
    edited: editedMigrationNames,
    foreign: foreign.map(({ name }) => name),
  };
}

export function refuseBrokenState(
  { pending, unknown, failed, edited, foreign }: MigrationState,
  variable: string,
): void {
  if (foreign.length > 0) {
    throw new OperatorError(
      `The database of ${variable} is not this server's: it has tables of something else, such as ${listed(foreign)}. ` +
        'Create a database for this server alone, owned by its user, and name that one',
    );
  }
  const [failure] = failed;
  if (failure !== undefined) {
    const { name, logs } = failure;
    throw new OperatorError(
      `Migration ${name} failed: ${withoutTrace(logs)}. Once the cause is fixed, run in the database: ` +
        `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL`,
    );
  }
  if (edited.length > 0) {
    throw new OperatorError(
      `Changed after the database applied them: ${listed(edited)}. ` +
        'Restore these files; what is to change goes into a new migration',
    );
  }
  if (pending.length > 0 && unknown.length > 0) {
    throw new OperatorError(
      `The database has another history: it lacks ${listed(pending)} ` +
        `and has ${listed(unknown)}, which this code does not know. ` +
        `If it belongs to another program, name another database by ${variable}`,
    );
  }
}

export function engineFailure(error: unknown): OperatorError {
  return new OperatorError(`The migrations could not be applied: ${withoutTrace(String(error))}`);
}

function withoutTrace(message: string): string {
  const [text = ''] = message.split(/\n\s*0: /);
  return text.replace(/^(external connector error|Error querying the database:)\s*/gim, '').trim();
}

export function listed(names: string[]): string {
  return names.join(', ');
}
