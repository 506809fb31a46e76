import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../server/database/migrations/migrations.ts';
import { openEmbeddedPostgres } from '../../server/demo/postgres/embeddedPostgres.ts';
import { query } from './query.ts';
import {
  FOREIGN_SETTINGS,
  fastestParent,
  makeThrowawayFolder,
  refuseOtherDatabase,
  THROWAWAY_SETTINGS,
} from './throwawayPostgres.ts';

/** Provides one PostgreSQL for the whole run, with a migrated database that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await openPostgres(process.env.TEST_POSTGRES_URL);
  await applyMigrations(postgres.url);
  project.provide('migratedDatabaseUrl', postgres.url);
  return postgres.close;
}

/** @param superuserUrl - of an empty server to use, such as one of another version; else the embedded one is started */
async function openPostgres(superuserUrl = ''): Promise<{ url: string; close(): Promise<void> }> {
  if (superuserUrl !== '') {
    refuseOtherDatabase();
    await query(superuserUrl, 'CREATE DATABASE migrated ENCODING UTF8 TEMPLATE template0');
    return {
      url: Object.assign(new URL(superuserUrl), { pathname: '/migrated' }).href,
      close: async () => {},
    };
  }
  const { folder, remove } = await makeThrowawayFolder(fastestParent());
  const { url, close } = await openEmbeddedPostgres({
    folder,
    settings: { ...THROWAWAY_SETTINGS, ...FOREIGN_SETTINGS },
  });
  return {
    url,
    async close() {
      await close();
      await remove();
    },
  };
}
