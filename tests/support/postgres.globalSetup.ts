import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { TestProject } from 'vitest/node';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { applyMigrations } from '../../server/database/migrate.ts';
import { openEmbeddedPostgres } from '../../server/demo/embeddedPostgres.ts';
import { makeThrowawayFolder, THROWAWAY_SETTINGS } from './throwawayPostgres.ts';

/** Starts one throwaway PostgreSQL for the whole run, with a migrated database that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  refuseOtherDatabase();
  const { folder, remove } = await makeThrowawayFolder();
  const postgres = await openEmbeddedPostgres({ folder, settings: THROWAWAY_SETTINGS });
  await applyMigrations(postgres.url);
  project.provide('migratedDatabaseUrl', postgres.url);
  return async () => {
    await postgres.close();
    await remove();
  };
}

/** Fails before any test when `.env` names a database, which the servers that tests start would migrate and prune. */
function refuseOtherDatabase(): void {
  const file = path.join(PROJECT_ROOT, '.env');
  if (existsSync(file) && parseEnv(readFileSync(file, 'utf8')).DATABASE_URL) {
    throw new Error('.env names a database, which tests would change: move .env away while they run');
  }
}
