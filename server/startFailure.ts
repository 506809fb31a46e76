import { listenFailure } from './config/listenHost.ts';
import { databaseFault } from './database/databaseFault.ts';
import { OperatorError } from './errors.ts';
import { reasonOf } from './observing/loggedError.ts';

/** Says why the server did not start, for the person at the terminal: in one line if the cause is known. */
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
  return `The server cannot start. This is a mistake of ours:\n${String((error as Error).stack ?? error)}`;
}
