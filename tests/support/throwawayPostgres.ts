import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { OperatorError } from '../../server/errors.ts';

export const THROWAWAY_SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/**
 * Settings that differ from what our SQL relies on, and that no test may notice: a server that somebody else set up
 * (docs/decisions/0037-connection-settings.md).
 */
export const FOREIGN_SETTINGS = {
  TimeZone: 'Europe/Madrid',
  DateStyle: 'German, DMY',
  IntervalStyle: 'iso_8601',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
};

export type ThrowawayFolder = {
  folder: string;
  /** Stops a PostgreSQL that still runs in the folder, then removes it. */
  remove(): Promise<void>;
};

/** Cleans up when its input ends, which happens at the latest when the test process ends, even by SIGKILL. */
const CLEAN_UP = `
  cat > /dev/null
  cluster=$(cat "$1/postgres-location" 2> /dev/null || echo "$1/postgres")
  if read -r pid < "$cluster/data/postmaster.pid"; then
    kill -QUIT "$pid"
    for _ in $(seq 600); do kill -0 "$pid" && sleep 0.1; done
  fi
  rm -rf "$cluster" "$1"
`;

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm';
/** More than all databases of `npm test` take at once. */
const ENOUGH_BYTES = 2 ** 31;

/** Returns the parent for a PostgreSQL of tests: in memory where that has room, since each database is 300 files. */
export function fastestParent(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
}

/** Makes a folder for an embedded PostgreSQL; both are gone at the latest when this process ends, even by SIGKILL. */
export async function makeThrowawayFolder(parent = tmpdir()): Promise<ThrowawayFolder> {
  refuseOtherDatabase();
  const folder = await mkdtemp(path.join(parent, 'audio-oficial-premium-tests-'));
  const cleanUp = spawn('sh', ['-c', CLEAN_UP, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const cleanedUp = once(cleanUp, 'exit');
  await chmod(folder, 0o711); // root's PostgreSQL runs as another user
  return {
    folder,
    async remove() {
      cleanUp.stdin.end();
      await cleanedUp;
    },
  };
}

/**
 * @throws {OperatorError} when `.env` names a database, which servers that are started in the project's folder would
 *   migrate and prune
 */
export function refuseOtherDatabase(): void {
  const file = path.join(PROJECT_ROOT, '.env');
  if (existsSync(file) && parseEnv(readFileSync(file, 'utf8')).DATABASE_URL) {
    throw new OperatorError('.env names a database, which this would change: move .env away meanwhile');
  }
}
