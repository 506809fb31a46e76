import { listenFailure } from '../config/listenHost.ts';
import { databaseFault } from '../database/databaseFault.ts';
import { OperatorError } from '../errors.ts';
import { reasonOf } from '../observing/loggedError.ts';

export function startFailure(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const fault = databaseFault(error);
  if (fault !== null) return fault;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'listen') return listenFailure(error, { host: 'HOST', port: 'PORT' });
  if (path !== undefined)
    return `The server cannot start: ${code} at ${path}. Check DATA_DIR and its rights.`;
  if (syscall !== undefined || (error instanceof Error && 'severity' in error)) {
    return `The server cannot start: ${reasonOf(error)}.`;
  }
  return `The server cannot start. This is a bug:\n${String((error as Error).stack ?? error)}`;
}
