import type pg from 'pg';
import { OperatorError } from '../errors.ts';
import { openConnection, SERVICE_LIMITS } from './connection.ts';
import { toOperatorError } from './errors/explainDatabaseError.ts';

const TIMEOUT_MS = 5_000;

/**
 * Asks the server, because a pooler has an address of its own and may rename the database. Every role may read this.
 * A copied server keeps all identifiers, but not the moment at which it started.
 */
const IDENTITY = `
  SELECT datname AS name, oid || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS id
  FROM pg_database WHERE datname = current_database()`;

type Identity = { name: string; id: string };

export async function requireSameDatabase(databaseUrl: string, directUrl: string | null): Promise<void> {
  if (directUrl === null) return;
  await withIdentity(directUrl, 'DATABASE_DIRECT_URL', (direct) =>
    withIdentity(databaseUrl, 'DATABASE_URL', async (pooled) => {
      if (direct.id === pooled.id) return;
      throw new OperatorError(
        `DATABASE_URL leads to the database ${pooled.name}, but DATABASE_DIRECT_URL to ${direct.name}, which is another one: ` +
          'correct the one that is wrong',
      );
    }),
  );
}

/** Keeps the connection open meanwhile: a server that is restarted would get another identity. */
async function withIdentity(
  url: string,
  variable: string,
  use: (identity: Identity) => Promise<void>,
): Promise<void> {
  let client: pg.Client | undefined;
  try {
    client = await openConnection(url, { timeoutMs: TIMEOUT_MS, limits: SERVICE_LIMITS });
    const { rows } = await client.query<Identity>(IDENTITY);
    const { name, id } = rows[0] ?? { name: '', id: '' };
    await use({ name: `${name} at ${client.host}:${client.port}`, id });
  } catch (error) {
    throw toOperatorError(error, variable);
  } finally {
    await client?.end();
  }
}
