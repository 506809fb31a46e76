import { ConfigError } from '../config/config.ts';
import { explainFileError } from '../config/fileFault.ts';
import { explainDatabaseError } from '../database/errors/explainDatabaseError.ts';
import { wordsOfPostgres } from '../database/errors/postgresWords.ts';
import { OperatorError } from '../errors.ts';

export function explainCommandError(error: unknown): string {
  return textOf(error).replaceAll(/\s+/g, ' ');
}

function textOf(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('; ');
  if (error instanceof OperatorError) return error.message;
  const fault = explainDatabaseError(error) ?? explainFileError(error);
  if (fault !== null) return fault;
  const { name, code } = error as NodeJS.ErrnoException;
  return `unexpected failure (${[name, code, wordsOfPostgres(error)].filter(Boolean).join(' ')})`;
}
