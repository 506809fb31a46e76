import { CodedError } from '../../errors.ts';
import { isDatabaseUnavailable } from './isDatabaseUnavailable.ts';

export const DATABASE_ERROR = new CodedError(
  'DATABASE_UNAVAILABLE',
  'The database cannot be reached, try again in a moment',
);

export function codedErrorOf(error: unknown): CodedError | null {
  if (isDatabaseUnavailable(error)) return DATABASE_ERROR;
  return error instanceof CodedError ? error : null;
}
