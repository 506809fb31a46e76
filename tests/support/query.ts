import pg from 'pg';

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
