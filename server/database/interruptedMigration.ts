import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { isDatabaseUnavailable } from './unavailable.ts';

/** PostgreSQL's codes for a table or index, column, and type or constraint that is already there. */
const ALREADY_THERE = ['42P07', '42701', '42710'];

/**
 * Runs `work` in one transaction, so that a killed process leaves both a migration and its record, or neither. Commits after a failure
 * too, so that the record of a failed migration stays; after any other failed statement PostgreSQL rolls back instead.
 */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    return await work();
  } finally {
    await client.query('COMMIT');
  }
}

/**
 * Records the outcome of a migration that a release before 1.2.0 began, and returns it for the operator. That release wrote the record
 * after the commit, so a killed process could leave one without the other; the migration itself was one transaction.
 */
export async function resolveInterrupted(
  migrationName: string,
  {
    engine,
    client,
    migrationsList,
  }: { engine: SchemaEngine; client: pg.Client; migrationsList: MigrationList },
): Promise<string> {
  if (await isThere(scriptOf(migrationName, migrationsList), client)) {
    await inTransaction(client, () => engine.markMigrationApplied({ migrationName, migrationsList }));
    return 'it had been applied, and is recorded as such now';
  }
  await inTransaction(client, () => engine.markMigrationRolledBack({ migrationName }));
  return 'it had not been applied, and is run again';
}

/** Whether PostgreSQL refuses the script because something that it creates exists. Rolls the script back. */
async function isThere(script: string, client: pg.Client): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query(script);
    return false;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return error instanceof pg.DatabaseError && ALREADY_THERE.includes(error.code ?? '');
  } finally {
    await client.query('ROLLBACK');
  }
}

function scriptOf(name: string, { migrationDirectories }: MigrationList): string {
  const found = migrationDirectories.find(({ path }) => path === name);
  if (found?.migrationFile.content.tag !== 'ok') throw new Error(`There is no migration ${name}`);
  return found.migrationFile.content.value;
}
