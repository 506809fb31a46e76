import { query } from './query.ts';

/**
 * Sets the clock of a database ahead, for new connections. Defaults of columns keep the true time: they are bound to
 * PostgreSQL's own functions.
 */
export async function setDatabaseClockAhead(url: string, ms: number): Promise<void> {
  const ahead = (name: string, volatility: string) => `
    CREATE OR REPLACE FUNCTION fake.${name}() RETURNS timestamptz LANGUAGE sql ${volatility}
    AS $$ SELECT pg_catalog.${name}() + interval '${ms} ms' $$;`;
  const database = new URL(url).pathname.slice(1);
  await query(
    url,
    `CREATE SCHEMA IF NOT EXISTS fake; ${ahead('now', 'STABLE')} ${ahead('clock_timestamp', 'VOLATILE')}
     ALTER DATABASE ${database} SET search_path = fake, pg_catalog, public`,
  );
}
