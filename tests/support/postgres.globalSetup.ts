import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbeddedPostgres } from '../../server/database/embeddedPostgres.ts';
import { applyMigrations } from '../../server/database/migrate.ts';
import { THROWAWAY_SETTINGS } from './throwawayPostgres.ts';

/** Waits for the end of its input, which comes with the end of our process, however that ends; then leaves nothing behind. */
const CLEAN_UP = `
  cat > /dev/null
  cluster=$(cat "$1/postgres-location" 2> /dev/null || echo "$1/postgres")
  if read -r pid < "$cluster/data/postmaster.pid"; then
    kill -QUIT "$pid"
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" && sleep 0.1; done
  fi
  rm -rf "$cluster" "$1"
`;

/** One PostgreSQL for the whole run, thrown away after it. Its database holds every migration, for tests to copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audio-oficial-premium-tests-'));
  const cleanUp = spawn('sh', ['-c', CLEAN_UP, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await chmod(folder, 0o711); // root's PostgreSQL runs as another user
  const postgres = await openEmbeddedPostgres({ folder, settings: THROWAWAY_SETTINGS });
  await applyMigrations(postgres.url);
  project.provide('migratedDatabaseUrl', postgres.url);
  return async () => {
    await postgres.close();
    cleanUp.stdin.end();
    await once(cleanUp, 'exit');
  };
}
