import pg from 'pg';
import { directDatabase, loadDemo, readConfig } from '../config/config.ts';
import { dataFolder } from '../config/folders.ts';
import { requireSameDatabase } from '../database/connection.ts';
import type { RunningPostgres } from '../demo/postgres/embeddedPostgres.ts';
import { OperatorError } from '../errors.ts';
import { escapeInvisible } from '../observing/sanitizing.ts';

export type LocatedDatabase = { url: string; variable: string };

/** Finds the server's database: `DATABASE_DIRECT_URL`, else `DATABASE_URL`, else the embedded one. */
export async function locateDatabase(
  env: NodeJS.ProcessEnv,
  { onName, signal }: { onName: (name: string) => void; signal: AbortSignal },
): Promise<LocatedDatabase> {
  const { NODE_ENV, DATABASE_URL, DATABASE_DIRECT_URL } = env;
  const config = readConfig({ NODE_ENV, DATABASE_URL, DATABASE_DIRECT_URL }, ['DATABASE_URL']);
  const { url, variable } = directDatabase(config, config.given.databaseUrl);
  if (url !== undefined) {
    onName(`the database ${databaseName(url)} (${variable})`);
    await requireSameDatabase(config.given.databaseUrl ?? url, config.directDatabaseUrl, signal);
    return { url, variable };
  }
  const postgres = await requireEmbeddedDatabase();
  onName(`the embedded database under ${postgres.folder}`);
  return { url: postgres.url, variable };
}

export async function requireEmbeddedDatabase(): Promise<RunningPostgres> {
  const { findEmbeddedPostgres } = await loadDemo(
    () => import('../demo/postgres/embeddedPostgres.ts'),
    ['DATABASE_URL'],
  );
  const postgres = await findEmbeddedPostgres(dataFolder()).catch((error: Error) => {
    throw new OperatorError(error.message, { cause: error });
  });
  if (postgres !== null) return postgres;
  throw new OperatorError(
    `the embedded database under ${dataFolder()} does not run: start the server with npm start, or set DATABASE_URL`,
  );
}

/** Returns the database and the host of an address, such as `audio at db.example:5432`: neither user nor password. */
export function databaseName(url: string): string {
  const { host, port, database } = new pg.Client({ connectionString: url });
  // pg takes the user's name for the database's if the address has no path.
  const isNamed = new URL(url).pathname.length > 1;
  return escapeInvisible(`${isNamed ? database : 'of the default name'} at ${host}:${port}`);
}
