import pg from 'pg';
import { expect } from 'vitest';

/** Runs a statement on a connection of its own and returns its rows. */
export async function query(url: string, statement: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the promises below reject as well
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const WAITING_FOR_LOCK = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/** Resolves when this many statements wait for a lock. */
export async function waitingForLock(url: string, count = 1): Promise<void> {
  await expect.poll(async () => (await query(url, WAITING_FOR_LOCK)).length).toBe(count);
}
