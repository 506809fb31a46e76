import type { FastifyBaseLogger } from 'fastify';
import { DATABASE_ERROR, isDatabaseUnavailable, unavailableInWords } from '../database/databaseErrors.ts';
import { CodedError, INTERNAL_ERROR } from '../errors.ts';
import { reasonWithoutSecrets } from '../sanitizing/errorWithoutSecrets.ts';

export function logFailure(log: FastifyBaseLogger, error: unknown): void {
  if (error instanceof CodedError) {
    const isFailure = error.cause !== undefined;
    if (isFailure) log.warn({ code: error.code, reason: reasonWithoutSecrets(error.cause) }, 'failed');
  } else if (isDatabaseUnavailable(error)) {
    log.warn({ code: DATABASE_ERROR.code, reason: unavailableInWords(error) }, 'failed');
  } else {
    log.error({ code: INTERNAL_ERROR.code, err: error }, 'failed');
  }
}
