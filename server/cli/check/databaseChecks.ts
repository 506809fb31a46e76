import pg from 'pg';
import { COMMANDS } from '../../config/commandNames.ts';
import { type Config, directDatabase } from '../../config/config.ts';
import { compareClocks, readDatabaseTime } from '../../database/clock.ts';
import { applySettings, requireSettings } from '../../database/connection.ts';
import type { MigrationState } from '../../database/migrations/migrationState.ts';
import { migrationState } from '../../database/migrations/migrations.ts';
import { explainOtherRoles } from '../../database/otherRoles.ts';
import { requireRights } from '../../database/rights.ts';
import { requireSameDatabase } from '../../database/sameDatabase.ts';
import type { RunningPostgres } from '../../demo/postgres/embeddedPostgres.ts';
import { OperatorError } from '../../errors.ts';
import { escapeInvisible } from '../../sanitizing/escapeInvisible.ts';
import { databaseName, requireEmbeddedDatabase } from '../locateDatabase.ts';
import type { CheckContext, Finding } from './checkContext.ts';

const TIMEOUT_MS = 5_000;
const OLDEST_POSTGRES = 15;
const CHANGED_COLLATION = `
  SELECT quote_ident(datname) AS name, datcollversion AS old, pg_database_collation_actual_version(oid) AS new
  FROM pg_database
  WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)`;
const NO_DATABASE = 'not tried, since the database cannot be used';

export async function checkDatabase(config: Config, context: CheckContext): Promise<void> {
  const { databaseUrl } = config.given;
  if (databaseUrl !== undefined) {
    return checkDatabaseAt(databaseUrl, config, databaseName(databaseUrl), context);
  }
  let embedded: RunningPostgres;
  try {
    embedded = await requireEmbeddedDatabase();
  } catch (error) {
    return context.checkPart('database', () => Promise.reject(error));
  }
  await checkDatabaseAt(embedded.url, config, `the embedded one under ${embedded.folder}`, context);
}

async function checkDatabaseAt(
  url: string,
  config: Config,
  name: string,
  { checkPart, clock, signal }: CheckContext,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    // Poolers that refuse it refuse the server too.
    statement_timeout: TIMEOUT_MS,
  });
  client.on('error', () => {});
  let isUsable = false;
  const onceUsable = (look: () => Promise<Finding>) => async () => {
    if (!isUsable) throw new OperatorError(NO_DATABASE);
    return look();
  };
  try {
    await checkPart('database', async () => {
      await client.connect();
      await applySettings(client);
      await requireSettings(client, 'DATABASE_URL');
      isUsable = true;
      const found = `${name} answers: ${await postgresVersion(client)}`;
      const fault = await collationFault(client);
      return fault === null ? found : { warning: `${found}, but ${fault}` };
    });
    await checkPart(
      'rights',
      onceUsable(async () => {
        await requireRights(client);
        const found = 'its user has the required rights on every table';
        const others = await explainOtherRoles(client);
        return others === null ? found : { warning: `${found}, but ${escapeInvisible(others)}` };
      }),
    );
    const direct = directDatabase(config, url);
    await checkPart('migrations', async () => {
      if (isUsable) await requireSameDatabase(url, config.directDatabaseUrl);
      else if (direct.url === url) throw new OperatorError(NO_DATABASE);
      return migrationsFound(await migrationState(direct.url, { variable: direct.variable, signal }));
    });
    await checkPart(
      'clock',
      onceUsable(async () => {
        const { warning } = await compareClocks(() => readDatabaseTime(client), clock);
        if (warning === null) return "within a minute of the database's";
        throw new OperatorError(warning);
      }),
    );
  } finally {
    await client.end();
  }
}

async function postgresVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) {
    throw new OperatorError(`PostgreSQL ${OLDEST_POSTGRES} or later is needed, this is ${version}`);
  }
  return `PostgreSQL ${version}`;
}

async function collationFault(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string; old: string; new: string }>(CHANGED_COLLATION);
  const [changed] = rows;
  if (changed === undefined) return null;
  const name = escapeInvisible(changed.name);
  return (
    `its indexes are sorted by version ${changed.old} of its collation, and PostgreSQL now sorts by version ${changed.new}: ` +
    `in a quiet hour run REINDEX DATABASE ${name}, then ALTER DATABASE ${name} REFRESH COLLATION VERSION, ` +
    'in psql connected to it as its owner; if REINDEX stops at duplicates, remove them first'
  );
}

function migrationsFound({ total, pending, unknown }: MigrationState): string {
  if (pending.length > 0)
    return `${pending.length} of ${total} are to be applied, by the start of the server or ${COMMANDS.migrate}`;
  return unknown.length > 0
    ? `all ${total} are applied, and newer ones: ${unknown.join(', ')}`
    : `all ${total} are applied`;
}
