import { databaseFault } from './database/databaseFault.ts';
import { OperatorError } from './errors.ts';
import { reasonOf } from './observing/loggedError.ts';

/** Why the server did not start, for the person at the terminal, in one line wherever we know what it is. */
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

/** The same for a port that cannot be had, which these variables name. */
export function listenFailure(error: unknown, variables: { host: string; port: string }): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop what listens there, or choose another with ${variables.port}.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} needs more rights than this user has: choose another with ${variables.port}.`;
  }
  return `Cannot listen there (${code}): check ${variables.host} and ${variables.port}.`;
}
