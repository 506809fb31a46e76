import { explainFileError } from '../config/fileFault.ts';
import { explainListenError } from '../config/listenHost.ts';
import { explainDatabaseError } from '../database/errors/explainDatabaseError.ts';
import { OperatorError } from '../errors.ts';
import { reasonWithoutSecrets } from '../sanitizing/errorWithoutSecrets.ts';

export function explainStartError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const fault = explainDatabaseError(error);
  if (fault !== null) return fault;
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'listen') return explainListenError(error, { host: 'HOST', port: 'PORT' });
  const fileFault = explainFileError(error);
  if (fileFault !== null) return `The server cannot start: ${fileFault}`;
  if (syscall !== undefined || (error instanceof Error && 'severity' in error)) {
    return `The server cannot start: ${reasonWithoutSecrets(error)}.`;
  }
  return `The server cannot start. This is a bug:\n${String((error as Error).stack ?? error)}`;
}
