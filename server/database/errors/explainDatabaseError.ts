import { OperatorError } from '../../errors.ts';
import { MAKE_WRITABLE, OWN_OR_GRANT, RightsMissing } from '../rights.ts';
import { codesOf, unavailableReason } from './isDatabaseUnavailable.ts';
import { unavailableInWords, wordsOfPostgres } from './postgresWords.ts';

/** The C function that PostgreSQL names in this error; it identifies the error, because messages are localised. */
const CONNECTING = 'CheckMyDatabase';
const INSUFFICIENT_PRIVILEGE = '42501';
const FEATURE_NOT_SUPPORTED = '0A000';
const NOT_IN_STATE = '55000';

const knownFaults = (variable: string): Array<[reason: RegExp, fault: string]> => [
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    `The host in ${variable} is not found: check its name, and the DNS of this machine.`,
  ],
  [
    /^ECONNREFUSED$/,
    `Nothing listens at the host and port in ${variable}: check them, and that PostgreSQL runs and listens there.`,
  ],
  [
    /^(ENOENT|ENOTDIR)$/,
    `There is no socket of PostgreSQL in the folder in ${variable}: check folder and port, and that PostgreSQL runs.`,
  ],
  [
    /^EACCES$/,
    `This user may not open the socket of PostgreSQL in ${variable}: check the rights of its folder, and unix_socket_permissions.`,
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|P1008|.*time-?out.*|.*timed out.*)$/i,
    `There is no answer from the host and port in ${variable}: check them, and firewalls in between.`,
  ],
  [/^28P01$/, `PostgreSQL refuses the user or the password in ${variable}.`],
  [
    // PostgreSQL has one SQLSTATE for all three, and its words are in the language of the server.
    /^28...$/,
    `PostgreSQL rejects this user of ${variable} from this host: check the role and pg_hba.conf, and if that lets nobody in ` +
      `without TLS, add ?sslmode=verify-full to ${variable}.`,
  ],
  [/^3D000$/, `The database that ${variable} names does not exist: create it, or correct the name.`],
  [
    /^53300$/,
    'PostgreSQL has no connection left: raise max_connections or the limit of the role or database.',
  ],
  [/^25006$/, `The database of ${variable} is read-only: ${MAKE_WRITABLE}.`],
  [/^57P03$/, 'PostgreSQL is starting or stopping: try again in a moment.'],
];

/**
 * Explains why the database cannot be used, naming no address, user or database; null for other errors.
 * @param variable - the environment variable of the URL
 */
export function explainDatabaseError(error: unknown, variable = 'DATABASE_URL'): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof RightsMissing) return error.explain(variable);
  const { message } = error;
  const code = String((error as { code?: unknown }).code ?? '');
  if (message === 'The server does not support SSL connections') {
    return `${variable} asks for TLS, and PostgreSQL there has none: set it up, or leave sslmode out.`;
  }
  if (/CERT|SIGNATURE|^ERR_(TLS|SSL)/.test(code)) {
    return `The certificate of PostgreSQL is not accepted (${code}): check sslmode and sslrootcert in ${variable}.`;
  }
  if (refusesSettings(error)) {
    return (
      `A pooler in front of PostgreSQL refuses our connection settings: write the unpooled address into ${variable}, ` +
      'or set up a PgBouncer of your own as in deploy/pgbouncer.ini, and name PostgreSQL itself by DATABASE_DIRECT_URL.'
    );
  }
  if (message.startsWith('SASL: SCRAM'))
    return `PostgreSQL asks for a password, and ${variable} has none, or a wrong one.`;
  const isConnecting = (error as { routine?: unknown }).routine === CONNECTING;
  if (isConnecting && code === NOT_IN_STATE) {
    return `The database of ${variable} accepts no connections: run ALTER DATABASE … ALLOW_CONNECTIONS true in another one.`;
  }
  if (isPrivilegeMissing(error)) {
    return isConnecting
      ? `The user of ${variable} may not enter the database: make it the owner, or run GRANT CONNECT ON DATABASE … TO it.`
      : `The user of ${variable} lacks rights on some tables: ${OWN_OR_GRANT}.`;
  }
  const reason = unavailableReason(error);
  if (reason === null) return null;
  return (
    knownFaults(variable).find(([known]) => known.test(reason))?.[1] ??
    (wordsOfPostgres(error) &&
      `PostgreSQL cannot do it now (${unavailableInWords(error)}): try again, and see its log.`) ??
    `The database cannot be reached: check ${variable}, and that PostgreSQL runs and lets us in.`
  );
}

/** PgBouncer's words, or the code of managed poolers such as RDS Proxy, which PostgreSQL never gives while connecting. */
export function refusesSettings(error: Error): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return (
    error.message.startsWith('unsupported startup parameter') ||
    (code === FEATURE_NOT_SUPPORTED && severity === 'FATAL')
  );
}

function isPrivilegeMissing(error: Error): boolean {
  const { code, originalCode } = codesOf(error);
  return code === INSUFFICIENT_PRIVILEGE || originalCode === INSUFFICIENT_PRIVILEGE;
}

export function toOperatorError(error: unknown, variable: string): unknown {
  const fault = explainDatabaseError(error, variable);
  return fault === null ? error : new OperatorError(fault, { cause: error });
}
