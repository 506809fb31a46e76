import pg from 'pg';

/** Runs a statement on a connection of its own, and gives its rows. */
export async function query(url: string, statement: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
