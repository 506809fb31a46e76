/** Prisma's own codes for "no usable connection"; https://www.prisma.io/docs/orm/reference/error-reference. */
export const UNAVAILABLE_PRISMA_CODES: Record<string, string> = {
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
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * Node's message of a failed connect. The code alone is not enough: ENOENT and EACCES also mean a file that is missing or
 * unreadable, and errors of Prisma's queries keep only message and code.
 */
const FAILED_CONNECT = /^connect (E[A-Z]+)/m;

const UNAVAILABLE_PG_MESSAGES = new Set([
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

type Codes = { code?: unknown; kind?: unknown; originalCode?: unknown; originalMessage?: unknown };

export function codesOf(error: Error): Codes {
  const { code, meta } = error as Error & { code?: unknown; meta?: { driverAdapterError?: Error } };
  // A failure of COMMIT or ROLLBACK comes as the pg adapter throws it.
  const ofAdapter = error.name === 'DriverAdapterError' ? error : meta?.driverAdapterError;
  return { ...(ofAdapter?.cause as object | undefined), code };
}

function isUnavailableCode(code: unknown): code is string {
  if (typeof code !== 'string') return false;
  return (
    code in UNAVAILABLE_PRISMA_CODES || UNAVAILABLE_SYSTEM_CODES.has(code) || UNAVAILABLE_SQLSTATE.test(code)
  );
}
