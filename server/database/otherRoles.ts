import type pg from 'pg';
import { TABLES } from './rights.ts';

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

/**
 * Returns which other roles have rights on our tables, and the statements that take them; null if there are none. Roles
 * of backups and reports have them on purpose.
 */
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
