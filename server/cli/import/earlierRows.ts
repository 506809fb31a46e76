import type { ClientBase } from 'pg';
import { isPrivilegeMissing } from '../../database/unavailable.ts';
import { OperatorError } from '../../errors.ts';

type RowKeys = { place: string; account: { id: string; username: string } };

/** The places in the file of the first row with an id, or with a username. */
export type Places = { ofId: Map<string, string>; ofUsername: Map<string, string> };

/** Remembers the rows of an import so far, by id and by username. */
export type EarlierRows = {
  /** Returns the places of remembered rows that have an id or a username of these. */
  placesFor(rows: RowKeys[]): Promise<Places>;
  /** Remembers rows. All ids and all usernames must differ, from remembered ones too. */
  add(rows: RowKeys[]): Promise<void>;
};

/**
 * Keeps the rows in a temporary table, which only this connection sees, so that an import's memory does not grow.
 * @throws {OperatorError} when the role may not make temporary tables
 */
export async function rememberRows(connection: ClientBase): Promise<EarlierRows> {
  try {
    await connection.query(
      'CREATE TEMPORARY TABLE earlier_rows (id text PRIMARY KEY, username text NOT NULL UNIQUE, place text NOT NULL)',
    );
  } catch (error) {
    if (!isPrivilegeMissing(error)) throw error;
    throw new OperatorError(
      'An import makes a temporary table, which the user of DATABASE_URL may not: run GRANT TEMPORARY ON DATABASE … TO it, ' +
        'as the owner of the database or a superuser, and import again. Nothing was imported.',
    );
  }
  return {
    async placesFor(rows) {
      const places: Places = { ofId: new Map(), ofUsername: new Map() };
      const found = await connection.query<{ id: string; username: string; place: string }>(
        'SELECT id, username, place FROM earlier_rows WHERE id = ANY($1) OR username = ANY($2)',
        [rows.map(({ account }) => account.id), rows.map(({ account }) => account.username)],
      );
      for (const { id, username, place } of found.rows) {
        places.ofId.set(id, place);
        places.ofUsername.set(username, place);
      }
      return places;
    },
    async add(rows) {
      await connection.query(
        'INSERT INTO earlier_rows (id, username, place) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])',
        [
          rows.map(({ account }) => account.id),
          rows.map(({ account }) => account.username),
          rows.map(({ place }) => place),
        ],
      );
    },
  };
}
