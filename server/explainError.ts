import path from 'node:path';
import { explainListenError } from './config/addresses.ts';
import { ConfigError } from './config/config.ts';
import { dataFolder } from './config/folders.ts';
import { explainDatabaseError, wordsOfPostgres } from './database/databaseErrors.ts';
import { OperatorError } from './errors.ts';
import { reasonWithoutSecrets } from './observing/sanitizing.ts';

export function explainStartError(error: unknown): string {
  const explained = explainError(error);
  if (explained !== null) return explained;
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  const isForeseen = isOfSystem || (error instanceof Error && 'severity' in error);
  const reason = explainFileError(error) ?? (isForeseen ? `${reasonWithoutSecrets(error)}.` : null);
  if (reason !== null) return `The server cannot start: ${reason}`;
  return `The server cannot start. This is a bug:\n${String((error as Error).stack ?? error)}`;
}

export function explainCommandError(error: unknown): string {
  const faults = error instanceof ConfigError ? error.faults.join('; ') : null;
  const explained = faults ?? explainError(error) ?? explainFileError(error);
  const { name, code } = error as NodeJS.ErrnoException;
  const parts = [name, code, wordsOfPostgres(error)].filter(Boolean);
  return (explained ?? `unexpected failure (${parts.join(' ')})`).replaceAll(/\s+/g, ' ');
}

/** Returns what the person at the terminal can do about it; null for what nobody foresaw. */
function explainError(error: unknown): string | null {
  if (error instanceof OperatorError) return error.message;
  const fault = explainDatabaseError(error);
  if (fault !== null) return fault;
  const isListening = (error as NodeJS.ErrnoException).syscall === 'listen';
  return isListening ? explainListenError(error, { host: 'HOST', port: 'PORT' }) : null;
}

function explainFileError(error: unknown): string | null {
  const { code, path: file } = error as NodeJS.ErrnoException;
  if (file === undefined) return null;
  const advice = `${file}${path.sep}`.startsWith(`${dataFolder()}${path.sep}`)
    ? 'Check DATA_DIR and its rights.'
    : 'The user of this process needs the right to read it.';
  return `${code} at ${file}. ${advice}`;
}
