import type pg from 'pg';

/** The tables of this release, in which the server reads, adds, changes and deletes rows. */
export const TABLES = [
  'account_keys',
  'accounts',
  'attempts',
  'audit_lines',
  'deleted_accounts',
  'sessions',
  'sign_in_counts',
  'token_records',
];

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Cheap enough for every `/readyz`: reads settings and the catalog, writes nothing. */
const RIGHTS = `
  WITH lacking AS (
    SELECT relname, privilege FROM pg_class, unnest($2::text[]) AS privilege
    WHERE relname = ANY ($1::name[]) AND relnamespace = 'public'::regnamespace
      AND NOT has_table_privilege(pg_class.oid, privilege)
  )
  SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('transaction_read_only')::boolean AS "isReadOnly",
    has_schema_privilege('public', 'USAGE') AS "mayUseSchema",
    ARRAY(SELECT DISTINCT relname::text FROM lacking ORDER BY 1) AS tables,
    ARRAY(SELECT DISTINCT privilege FROM lacking ORDER BY 1) AS privileges`;

type Rights = {
  isStandby: boolean;
  isReadOnly: boolean;
  mayUseSchema: boolean;
  /** Tables that lack one of `privileges`; empty when all have all. */
  tables: string[];
  privileges: string[];
};

/** Thrown when the database answers, but does not let this user work with the tables. `code` is PostgreSQL's for that. */
export class RightsMissing extends Error {
  override readonly name = 'RightsMissing';
  readonly code: '25006' | '42501';

  constructor(private readonly rights: Rights) {
    super('The database does not let this user change rows');
    this.code = rights.isReadOnly ? '25006' : '42501';
  }

  /** Says what is missing and how to grant it. */
  explain(variable: string): string {
    const { isStandby, isReadOnly, mayUseSchema, tables, privileges } = this.rights;
    if (isStandby)
      return `The database of ${variable} is a standby, which can only be read: name the primary.`;
    if (isReadOnly) {
      return (
        `The database of ${variable} can only be read, for default_transaction_read_only is on: ` +
        'run ALTER ROLE … RESET default_transaction_read_only, or the same with ALTER DATABASE or ALTER SYSTEM, wherever it is set.'
      );
    }
    if (!mayUseSchema) {
      return `The user of ${variable} may not use the schema public: run GRANT USAGE ON SCHEMA public TO it.`;
    }
    return (
      `The user of ${variable} lacks ${privileges.join(', ')} on ${tables.join(', ')}: make it the owner of the tables, ` +
      `or run GRANT ${PRIVILEGES.join(', ')} ON ALL TABLES IN SCHEMA public TO it.`
    );
  }
}

/**
 * Asks, in one statement, whether the user of a connection may work with all tables that there are.
 * @throws {RightsMissing} when it may not; pg's errors when the database cannot be reached
 */
export async function requireRights(connection: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await connection.query<Rights>(RIGHTS, [TABLES, PRIVILEGES]);
  const [rights] = rows;
  if (rights === undefined) return;
  if (rights.isReadOnly || !rights.mayUseSchema || rights.tables.length > 0) throw new RightsMissing(rights);
}
