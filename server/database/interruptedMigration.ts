import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { isDatabaseUnavailable } from './isDatabaseUnavailable.ts';

/** PostgreSQL's codes for a table or index, column, and type or constraint that is already there. */
const ALREADY_THERE = ['42P07', '42701', '42710'];

/**
 * Records the outcome of a migration that was interrupted between its own commit and its record, and returns it for the operator.
 * Releases before 1.2.0 and Prisma's own commands commit the two one after the other; the migration itself is one transaction. Call it in a transaction.
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
    await engine.markMigrationApplied({ migrationName, migrationsList });
    return 'it had been applied, and is recorded as such now';
  }
  await engine.markMigrationRolledBack({ migrationName });
  return 'it had not been applied, and is run again';
}

/** Tells whether PostgreSQL refuses the script because something that it creates exists. Rolls the script back. */
async function isThere(script: string, client: pg.Client): Promise<boolean> {
  await client.query('SAVEPOINT before_script');
  try {
    await client.query(script);
    return false;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return error instanceof pg.DatabaseError && ALREADY_THERE.includes(error.code ?? '');
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT before_script');
  }
}

function scriptOf(name: string, { migrationDirectories }: MigrationList): string {
  const found = migrationDirectories.find(({ path }) => path === name);
  if (found?.migrationFile.content.tag !== 'ok') throw new Error(`There is no migration ${name}`);
  return found.migrationFile.content.value;
}
