import { CodedError, OperatorError } from '../errors.ts';
import { MAKE_WRITABLE, OWN_OR_GRANT, RightsMissing } from './rights.ts';

/** Prisma's own codes for "no usable connection"; https://www.prisma.io/docs/orm/reference/error-reference. */
const UNAVAILABLE_PRISMA_CODES: Record<string, string> = {
  P1000: 'authentication failed',
  P1001: 'cannot reach the server',
  P1002: 'reached it, timed out',
  P1003: 'the database does not exist',
  P1008: 'operation timed out',
  P1010: 'access denied',
  P1011: 'TLS failed',
  P1017: 'the server closed the connection',
  P2024: 'no connection from the pool in time',
  P2028: 'a transaction did not start or end in time',
  P2037: 'too many connections',
};

/** The pg adapter's names for failures without a SQLSTATE, which raw queries show, and Prisma's codes for them. */
const CODES_OF_ADAPTER_KINDS: Record<string, string> = {
  DatabaseNotReachable: 'P1001',
  SocketTimeout: 'P1008',
  TlsConnectionError: 'P1011',
  ConnectionClosed: 'P1017',
};

/**
 * SQLSTATEs; https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exceptions, read-only (a
 * standby), a transaction that was idle or took too long (25P03, 25P04), refused sign-in, missing database or privilege,
 * out of disk, memory or connections, a database that accepts none (55000), lock or statement timeout, server shutting
 * down, crashed or starting, its files or system failing.
 */
const UNAVAILABLE_SQLSTATE =
  /^(08...|25006|25P0[34]|28...|3D000|42501|53...|55000|55P03|57014|57P0[1-5]|58...)$/;

const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EPROTO',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Node's codes when it cannot use or accept a certificate, or PostgreSQL ends the handshake: ours has expired, say. */
const TLS_CODE = /CERT|SIGNATURE|^ERR_(TLS|SSL|OSSL)/;
const HANDSHAKE_REFUSED = /^EPROTO$|^ERR_SSL_.*ALERT/;

/**
 * Node's message of a failed connect. The code alone is not enough: ENOENT and EACCES also mean a file that is missing or
 * unreadable, and errors of Prisma's queries keep only message and code.
 */
const FAILED_CONNECT = /^connect (E[A-Z]+)/m;

const UNAVAILABLE_PG_MESSAGES = new Set([
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
]);

/** SQLSTATEs of faults of a server or query. Messages of others may contain data, addresses or users. */
const CODES_WITH_SAFE_WORDS = /^(25|40|42|53|54|55|57|58|XX)...$/;
const QUOTED = /["'“”„‘’‚«»「」].*["'“”„‘’‚«»「」]/gs;
const ADDRESS = /\S+:\/\/\S+/g;

export const DATABASE_ERROR = new CodedError(
  'DATABASE_UNAVAILABLE',
  'The database cannot be reached, try again in a moment',
);

/** The C function that PostgreSQL names in this error; it identifies the error, because messages are localised. */
const CONNECTING = 'CheckMyDatabase';
const INSUFFICIENT_PRIVILEGE = '42501';
const FEATURE_NOT_SUPPORTED = '0A000';
const NOT_IN_STATE = '55000';

const knownFaults = (variable: string): Array<[reason: RegExp, fault: string]> => [
  [
    /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/,
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

type Codes = { code?: unknown; kind?: unknown; originalCode?: unknown; originalMessage?: unknown };

/**
 * Returns whether a query failed because the database did not answer (down, frozen, starting, refusing us, out of
 * connections, closed) or does not let us do our work (read-only, a privilege taken away), as opposed to an error in
 * its answer, such as a unique violation.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return unavailableReason(error) !== null;
}

/** The code or message by which `isDatabaseUnavailable` decides. It names no address, so it may be logged. */
export function unavailableReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (UNAVAILABLE_PG_MESSAGES.has(error.message)) return error.message;
  const { code, kind, originalCode } = codesOf(error);
  if (isUnavailableCode(code)) return code;
  if (typeof code === 'string' && FAILED_CONNECT.exec(error.message)?.[1] === code) return code;
  const codeOfKind = CODES_OF_ADAPTER_KINDS[String(kind)];
  if (codeOfKind !== undefined) return codeOfKind;
  return isUnavailableCode(originalCode) ? originalCode : null;
}

export function codesOf(error: Error): Codes {
  const { code, meta } = error as Error & { code?: unknown; meta?: { driverAdapterError?: Error } };
  // A failure of COMMIT or ROLLBACK comes as the pg adapter throws it.
  const ofAdapter = error.name === 'DriverAdapterError' ? error : meta?.driverAdapterError;
  return { ...(ofAdapter?.cause as object | undefined), code };
}

/** PostgreSQL's message without what it quotes, which are values and names; null where no words are safe. */
export function wordsOfPostgres(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, originalCode, originalMessage } = codesOf(error);
  const [sqlState, message] = 'severity' in error ? [code, error.message] : [originalCode, originalMessage];
  if (typeof sqlState !== 'string' || !CODES_WITH_SAFE_WORDS.test(sqlState)) return null;
  return String(message).replace(QUOTED, '…').replace(ADDRESS, '[address]');
}

export function withPostgresWords(reason: string, error: unknown): string {
  const words = wordsOfPostgres(error) ?? UNAVAILABLE_PRISMA_CODES[reason];
  return words === undefined ? reason : `${reason}: ${words}`;
}

export function unavailableInWords(error: unknown): string | null {
  const reason = unavailableReason(error);
  return reason && withPostgresWords(reason, error);
}

export function failureInWords(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return unavailableInWords(error) ?? withPostgresWords(String(code ?? name), error);
}

export function codedErrorOf(error: unknown): CodedError | null {
  if (isDatabaseUnavailable(error)) return DATABASE_ERROR;
  return error instanceof CodedError ? error : null;
}

/** Names no address, user or database; null for other errors. */
export function explainDatabaseError(error: unknown, variable = 'DATABASE_URL'): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof RightsMissing) return error.explain(variable);
  const { message } = error;
  const code = String((error as { code?: unknown }).code ?? '');
  if (message === 'The server does not support SSL connections') {
    return `${variable} asks for TLS, and PostgreSQL there has none: set it up, or leave sslmode out.`;
  }
  if (HANDSHAKE_REFUSED.test(code)) {
    return `PostgreSQL refuses the TLS of ${variable} (${code}): see its log, and whether the certificate of sslcert is valid.`;
  }
  if (code.startsWith('ERR_OSSL')) {
    return `A file of sslrootcert, sslcert or sslkey in ${variable} cannot be used (${code}): renew it whole, and the key with its certificate.`;
  }
  if (TLS_CODE.test(code)) {
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

export function toOperatorError(error: unknown, variable: string): unknown {
  const fault = explainDatabaseError(error, variable);
  return fault === null ? error : new OperatorError(fault, { cause: error });
}

function isUnavailableCode(code: unknown): code is string {
  if (typeof code !== 'string') return false;
  return (
    code in UNAVAILABLE_PRISMA_CODES ||
    UNAVAILABLE_SYSTEM_CODES.has(code) ||
    UNAVAILABLE_SQLSTATE.test(code) ||
    TLS_CODE.test(code)
  );
}

function isPrivilegeMissing(error: Error): boolean {
  const { code, originalCode } = codesOf(error);
  return code === INSUFFICIENT_PRIVILEGE || originalCode === INSUFFICIENT_PRIVILEGE;
}
