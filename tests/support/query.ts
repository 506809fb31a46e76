import type pg from 'pg';
import { openConnection } from '../../server/database/connection.ts';
import { PATIENCE_MS } from './patientDatabase.ts';

export async function query(url: string, statement: string): Promise<pg.QueryResultRow[]> {
  const client = await openConnection(url, { timeoutMs: PATIENCE_MS });
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
