import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { query } from './query.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The template made by `postgres.globalSetup.ts`. Connect to a copy only: PostgreSQL copies no database in use. */
    migratedDatabaseUrl: string;
  }
}

export type TestDatabase = {
  url: string;
  drop(): Promise<void>;
};

/** Takes about 0.05 s. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(databaseName(new URL(inject('migratedDatabaseUrl'))));
}

export async function emptyTestDatabase(): Promise<TestDatabase> {
  return createDatabase('template1');
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const url = new URL(inject('migratedDatabaseUrl'));
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  await administrate(`CREATE DATABASE ${databaseName(url)} TEMPLATE ${template}`);
  return {
    url: url.href,
    drop: () => administrate(`DROP DATABASE IF EXISTS ${databaseName(url)} WITH (FORCE)`),
  };
}

function databaseName(url: URL): string {
  return url.pathname.slice(1);
}

async function administrate(statement: string): Promise<void> {
  const url = new URL(inject('migratedDatabaseUrl'));
  url.pathname = '/postgres';
  await query(url.href, statement);
}
