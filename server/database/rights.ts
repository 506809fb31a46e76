import type pg from 'pg';

export const TABLES = [
  'account_keys',
  'accounts',
  'attempts',
  'audit_lines',
  'deleted_accounts',
  'notices',
  'sessions',
  'token_records',
];

const TYPES = ['key_kind', 'token_client', 'token_outcome'];

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

const NAME_PRIMARY = 'name the primary';
const LIFT_READ_ONLY =
  'run ALTER ROLE … RESET default_transaction_read_only, or the same with ALTER DATABASE or ALTER SYSTEM, wherever it is set';
export const MAKE_WRITABLE = `${NAME_PRIMARY}, or ${LIFT_READ_ONLY}`;
export const OWN_OR_GRANT = `make it the owner of the tables, or run GRANT ${PRIVILEGES.join(', ')} ON ALL TABLES IN SCHEMA public TO it`;

/** Reads only settings and the catalog, so that every `/readyz` can run it. */
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
  tables: string[];
  privileges: string[];
};

const MIGRATION_RIGHTS = `
  SELECT has_schema_privilege('public', 'CREATE') AS "mayCreate",
    ARRAY(
      SELECT relname::text FROM pg_class
      WHERE relname = ANY ($1::name[]) AND relnamespace = 'public'::regnamespace AND NOT pg_has_role(relowner, 'USAGE')
      ORDER BY 1
    ) AS "notOwned",
    ARRAY(
      SELECT typname::text FROM pg_type
      WHERE typname = ANY ($2::name[]) AND typnamespace = 'public'::regnamespace AND NOT pg_has_role(typowner, 'USAGE')
      ORDER BY 1
    ) AS "typesNotOwned"`;

type MigrationRights = { mayCreate: boolean; notOwned: string[]; typesNotOwned: string[] };

export class RightsMissing extends Error {
  override readonly name = 'RightsMissing';

  constructor(
    readonly code: '25006' | '42501',
    readonly explain: (variable: string) => string,
  ) {
    super('The database does not let this user do our work');
  }
}

/**
 * Rights on our tables and on their columns, and default privileges, which give them with each new table. Not those of
 * the tables' owner, of this user and of the groups that it is in; PUBLIC is 0.
 */
const OTHER_ROLES = `
  WITH self AS (SELECT oid FROM pg_roles WHERE rolname = current_user),
  ours AS (
    SELECT oid, relowner, relacl FROM pg_class
    WHERE relname = ANY ($1::name[]) AND relnamespace = 'public'::regnamespace
  ),
  granted AS (
    SELECT relowner AS owner, acl.grantee, acl.privilege_type, false AS "isDefault", false AS "isInSchema"
    FROM ours, aclexplode(relacl) AS acl
    UNION ALL
    SELECT relowner, acl.grantee, acl.privilege_type, false, false
    FROM ours JOIN pg_attribute ON attrelid = ours.oid, aclexplode(attacl) AS acl
    UNION ALL
    SELECT defaclrole, acl.grantee, acl.privilege_type, true, defaclnamespace <> 0
    FROM pg_default_acl, aclexplode(defaclacl) AS acl
    WHERE defaclobjtype = 'r' AND defaclnamespace IN (0, 'public'::regnamespace)
      AND defaclrole IN (SELECT relowner FROM ours UNION SELECT oid FROM self)
  )
  SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role,
    min(quote_ident(pg_get_userbyid(owner))) FILTER (WHERE "isDefault") AS owner,
    array_agg(DISTINCT privilege_type ORDER BY privilege_type) AS privileges,
    coalesce(bool_or(NOT "isDefault"), false) AS "hasTables",
    coalesce(bool_or("isDefault" AND "isInSchema"), false) AS "hasDefaultInSchema",
    coalesce(bool_or("isDefault" AND NOT "isInSchema"), false) AS "hasDefault"
  FROM granted
  WHERE grantee NOT IN (
    SELECT owner UNION SELECT oid FROM self
    UNION SELECT roleid FROM pg_auth_members JOIN self ON member = self.oid
  )
  GROUP BY 1 ORDER BY 1`;

type OtherRole = {
  role: string;
  owner: string | null;
  privileges: string[];
  hasTables: boolean;
  hasDefault: boolean;
  hasDefaultInSchema: boolean;
};

export async function requireRights(connection: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await connection.query<Rights>(RIGHTS, [TABLES, PRIVILEGES]);
  const missing = rows[0] && missingRights(rows[0]);
  if (missing) throw missing;
}

export async function requireMigrationRights(connection: Pick<pg.Client, 'query'>): Promise<void> {
  await requireRights(connection);
  const { rows } = await connection.query<MigrationRights>(MIGRATION_RIGHTS, [TABLES, TYPES]);
  const { mayCreate, notOwned, typesNotOwned } = rows[0] ?? {
    mayCreate: true,
    notOwned: [],
    typesNotOwned: [],
  };
  if (!mayCreate) {
    throw new RightsMissing(
      '42501',
      (variable) =>
        `The user of ${variable} may not create tables: make it the owner of the database, ` +
        'or run GRANT CREATE ON SCHEMA public TO it.',
    );
  }
  if (notOwned.length > 0) {
    throw new RightsMissing(
      '42501',
      (variable) =>
        `The user of ${variable} does not own ${notOwned.join(', ')}, which migrations change: ` +
        'name their owner by DATABASE_DIRECT_URL, or run ALTER TABLE … OWNER TO this user for each.',
    );
  }
  if (typesNotOwned.length > 0) {
    throw new RightsMissing(
      '42501',
      (variable) =>
        `The user of ${variable} does not own the types ${typesNotOwned.join(', ')}, which migrations change: ` +
        'name their owner by DATABASE_DIRECT_URL, or run ALTER TYPE … OWNER TO this user for each.',
    );
  }
}

export function missingRights(rights: Rights): RightsMissing | null {
  const { isStandby, isReadOnly, mayUseSchema, tables, privileges } = rights;
  if (isStandby) {
    return new RightsMissing(
      '25006',
      (variable) => `The database of ${variable} is a read-only standby: ${NAME_PRIMARY}.`,
    );
  }
  if (isReadOnly) {
    return new RightsMissing(
      '25006',
      (variable) =>
        `The database of ${variable} is read-only because default_transaction_read_only is on: ${LIFT_READ_ONLY}.`,
    );
  }
  if (!mayUseSchema) {
    return new RightsMissing(
      '42501',
      (variable) =>
        `The user of ${variable} may not use the schema public: run GRANT USAGE ON SCHEMA public TO it.`,
    );
  }
  if (tables.length === 0) return null;
  return new RightsMissing(
    '42501',
    (variable) =>
      `The user of ${variable} lacks ${privileges.join(', ')} on ${tables.join(', ')}: ${OWN_OR_GRANT}.`,
  );
}

export async function explainOtherRoles(connection: Pick<pg.Client, 'query'>): Promise<string | null> {
  const { rows } = await connection.query<OtherRole>(OTHER_ROLES, [TABLES]);
  if (rows.length === 0) return null;
  const roles = rows.map(({ role, privileges }) => `${role} (${privileges.join(', ')})`);
  return (
    `other roles have rights on the tables, which hold password hashes and sessions: ${roles.join(', ')}. ` +
    `Unless you granted them on purpose, run as the owner of the tables: ${rows.flatMap(revoking).join('; ')}`
  );
}

function revoking({ role, owner, hasTables, hasDefault, hasDefaultInSchema }: OtherRole): string[] {
  const defaults = `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner}`;
  const revoke = (from: string) => `REVOKE ALL ON ${from} FROM ${role}`;
  return [
    ...(hasDefault ? [`${defaults} ${revoke('TABLES')}`] : []),
    ...(hasDefaultInSchema ? [`${defaults} IN SCHEMA public ${revoke('TABLES')}`] : []),
    ...(hasTables ? [revoke('ALL TABLES IN SCHEMA public')] : []),
  ];
}
