import type { FastifyBaseLogger } from 'fastify';
import { isDatabaseUnavailable, unavailableReason } from '../database/unavailable.ts';
import { CodedError, INTERNAL_ERROR } from '../errors.ts';
import { reasonOf } from './loggedError.ts';

/** Answers every database failure, since callers may try again after any of them. */
const DATABASE_ERROR = new CodedError(
  'DATABASE_UNAVAILABLE',
  'The database cannot be reached, try again in a moment',
);

/** Returns the coded error to answer, or null for an unexpected error, which callers must not see. */
export function codedErrorOf(error: unknown): CodedError | null {
  if (isDatabaseUnavailable(error)) return DATABASE_ERROR;
  return error instanceof CodedError ? error : null;
}

/** Logs a failure of the server, the database or the provider; ignores mistakes of callers. */
export function logFailure(log: FastifyBaseLogger, error: unknown): void {
  if (error instanceof CodedError) {
    const isFailure = error.cause !== undefined;
    if (isFailure) log.warn({ code: error.code, reason: reasonOf(error.cause) }, 'failed');
  } else if (isDatabaseUnavailable(error)) {
    log.warn({ code: DATABASE_ERROR.code, reason: unavailableReason(error) }, 'failed');
  } else {
    log.error({ code: INTERNAL_ERROR.code, err: error }, 'failed');
  }
}
