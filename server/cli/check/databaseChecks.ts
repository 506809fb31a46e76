import pg from 'pg';
import { type Config, directDatabase } from '../../config/config.ts';
import { COMMANDS } from '../../config/installation.ts';
import { type Condition, DATABASE_CONDITIONS } from '../../database/conditions.ts';
import {
  applySettings,
  keepsBackend,
  lacksStatementTimeout,
  requireSameDatabase,
  SERVICE_LIMITS,
} from '../../database/connection.ts';
import type { MigrationState } from '../../database/migrations/migrationState.ts';
import { migrationState } from '../../database/migrations/migrations.ts';
import type { RunningPostgres } from '../../demo/postgres/embeddedPostgres.ts';
import { OperatorError } from '../../errors.ts';
import { escapeInvisible } from '../../observing/sanitizing.ts';
import { databaseName, requireEmbeddedDatabase } from '../locateDatabase.ts';
import type { CheckContext, Finding } from './checkContext.ts';

const TIMEOUT_MS = 5_000;
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
  { checkPart, clock }: CheckContext,
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
  const look = async (name: Condition['name'], known: string[] = []): Promise<Finding> => {
    const words = [...known];
    const warnings: string[] = [];
    for (const condition of DATABASE_CONDITIONS.filter((each) => each.name === name)) {
      const found = await condition.look(client, { clock, statementTimeoutMs: TIMEOUT_MS });
      if (typeof found === 'string') words.push(found);
      else if (found !== null) warnings.push(escapeInvisible(found.warning));
    }
    const held = words.join(': ');
    return warnings.length === 0 ? held : { warning: `${held}, but ${warnings.join('; ')}` };
  };
  const onceUsable = (name: Condition['name']) => async () => {
    if (!isUsable) throw new OperatorError(NO_DATABASE);
    return look(name);
  };
  try {
    await checkPart('database', async () => {
      await client.connect();
      await applySettings(client);
      await restoreStatementTimeout(client, url);
      const found = await look('database', [`${name} answers`]);
      isUsable = true;
      return found;
    });
    await checkPart('rights', onceUsable('rights'));
    const direct = directDatabase(config, url);
    await checkPart('migrations', async () => {
      if (isUsable) await requireSameDatabase(url, config.directDatabaseUrl);
      else if (direct.url === url) throw new OperatorError(NO_DATABASE);
      return migrationsFound(await migrationState(direct.url, { variable: direct.variable }));
    });
    await checkPart('clock', onceUsable('clock'));
  } finally {
    await client.end();
  }
}

/** Does what a start does where `statement_timeout` was lost on the way, and can be set later. */
async function restoreStatementTimeout(client: pg.Client, url: string): Promise<void> {
  if (!(await lacksStatementTimeout(client, TIMEOUT_MS))) return;
  if (!(await keepsBackend(url, TIMEOUT_MS).catch(() => false))) return;
  await applySettings(client, { ...SERVICE_LIMITS, statement_timeout: `${TIMEOUT_MS}ms` });
}

function migrationsFound({ total, pending, unknown }: MigrationState): string {
  if (pending.length > 0)
    return `${pending.length} of ${total} are to be applied, by the start of the server or ${COMMANDS.migrate}`;
  return unknown.length > 0
    ? `all ${total} are applied, and newer ones: ${unknown.join(', ')}`
    : `all ${total} are applied`;
}
