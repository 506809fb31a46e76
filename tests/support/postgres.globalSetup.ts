import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { openEmbeddedPostgres } from '../../server/demo/postgres/embeddedPostgres.ts';
import { FOREIGN_SETTINGS, makeThrowawayFolder, THROWAWAY_SETTINGS } from './throwawayPostgres.ts';

/** Starts one throwaway PostgreSQL for the whole run, with a migrated database that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { folder, remove } = await makeThrowawayFolder();
  const postgres = await openEmbeddedPostgres({
    folder,
    settings: { ...THROWAWAY_SETTINGS, ...FOREIGN_SETTINGS },
  });
  await applyMigrations(postgres.url);
  project.provide('migratedDatabaseUrl', postgres.url);
  return async () => {
    await postgres.close();
    await remove();
  };
}
