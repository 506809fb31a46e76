import { dataFolder } from '../config/folders.ts';
import { explainListenError } from '../config/listenHost.ts';
import { explainDatabaseError } from '../database/errors/explainDatabaseError.ts';
import { OperatorError } from '../errors.ts';
import { reasonWithoutSecrets } from '../output/errorWithoutSecrets.ts';

export function explainStartError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const fault = explainDatabaseError(error);
  if (fault !== null) return fault;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'listen') return explainListenError(error, { host: 'HOST', port: 'PORT' });
  if (path !== undefined) {
    const advice = path.startsWith(dataFolder())
      ? 'Check DATA_DIR and its rights.'
      : 'The user of this process needs the right to read it.';
    return `The server cannot start: ${code} at ${path}. ${advice}`;
  }
  if (syscall !== undefined || (error instanceof Error && 'severity' in error)) {
    return `The server cannot start: ${reasonWithoutSecrets(error)}.`;
  }
  return `The server cannot start. This is a bug:\n${String((error as Error).stack ?? error)}`;
}
