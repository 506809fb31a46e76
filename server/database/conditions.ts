import type pg from 'pg';
import { OperatorError } from '../errors.ts';
import { compareClocks, readDatabaseTime } from './clock.ts';
import { lacksStatementTimeout, requireSettings } from './connection.ts';
import { explainOtherRoles, requireRights } from './rights.ts';

const OLDEST_POSTGRES = 15;

const CHANGED_COLLATION = `
  SELECT quote_ident(datname) AS name, datcollversion AS old, pg_database_collation_actual_version(oid) AS new
  FROM pg_database
  WHERE datname = current_database() AND datcollversion <> pg_database_collation_actual_version(oid)`;

const UNLIMITED =
  'slow statements are not ended: a pooler or host in front of PostgreSQL drops statement_timeout (see deploy/pgbouncer.ini)';

type Connection = Pick<pg.Client, 'query'>;

/** `statementTimeoutMs` is the limit for which the connection asked. */
export type LookOptions = { clock(): Date; statementTimeoutMs: number };

export type Condition = {
  /** The line of `check` to which it belongs. */
  name: 'database' | 'rights' | 'clock';
  /** The effect on a start of the server if it does not hold. */
  atStart: 'ends' | 'warns' | 'nothing';
  /** `/readyz` asks it each time. */
  isAskedWhenReady?: true;
  /**
   * Returns what holds, or a warning; null where there is nothing to say.
   * @throws {OperatorError} or another error that `explainDatabaseError` explains, if it does not hold
   */
  look(connection: Connection, options: LookOptions): Promise<string | { warning: string } | null>;
};

/** The conditions of the database of `DATABASE_URL`. `check` tries all of them, in this order. */
export const DATABASE_CONDITIONS: readonly Condition[] = [
  {
    name: 'database',
    atStart: 'ends',
    async look(connection) {
      await requireSettings(connection, 'DATABASE_URL');
      return null;
    },
  },
  { name: 'database', atStart: 'warns', look: requireVersion },
  { name: 'database', atStart: 'warns', look: warnOfCollation },
  {
    name: 'database',
    atStart: 'warns',
    async look(connection, { statementTimeoutMs }) {
      return (await lacksStatementTimeout(connection, statementTimeoutMs)) ? { warning: UNLIMITED } : null;
    },
  },
  {
    name: 'rights',
    atStart: 'ends',
    isAskedWhenReady: true,
    async look(connection) {
      await requireRights(connection);
      return 'its user has the required rights on every table';
    },
  },
  {
    name: 'rights',
    atStart: 'warns',
    async look(connection) {
      const warning = await explainOtherRoles(connection);
      return warning === null ? null : { warning };
    },
  },
  {
    name: 'clock',
    // The first run of the pruner says it at once, and what it leaves undone.
    atStart: 'nothing',
    async look(connection, { clock }) {
      const { warning } = await compareClocks(() => readDatabaseTime(connection), clock);
      if (warning !== null) throw new OperatorError(warning);
      return "within a minute of the database's";
    },
  },
];

async function requireVersion(connection: Connection): Promise<string> {
  const { rows } = await connection.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) {
    throw new OperatorError(`PostgreSQL ${OLDEST_POSTGRES} or later is needed, this is ${version}`);
  }
  return `PostgreSQL ${version}`;
}

async function warnOfCollation(connection: Connection): Promise<{ warning: string } | null> {
  const { rows } = await connection.query<{ name: string; old: string; new: string }>(CHANGED_COLLATION);
  const [changed] = rows;
  if (changed === undefined) return null;
  const { name } = changed;
  return {
    warning:
      `the indexes of the database are sorted by version ${changed.old} of its collation, and PostgreSQL now sorts by version ${changed.new}: ` +
      `in a quiet hour run REINDEX DATABASE ${name}, then ALTER DATABASE ${name} REFRESH COLLATION VERSION, ` +
      'in psql connected to it as its owner; if REINDEX stops at duplicates, remove them first',
  };
}
