import { GraphQLError } from 'graphql';
import { codesOf, withPostgresWords } from '../database/databaseErrors.ts';
import { KEY_PREFIX } from '../keys/key.ts';

const MAX_MESSAGE_LENGTH = 500;
const MAX_CAUSES = 5;

const KEY = new RegExp(`\\b${KEY_PREFIX}[\\w-]+`, 'g');

type LoggedError = {
  type: string;
  code?: string;
  message: string;
  stack: string[];
  cause?: LoggedError;
};

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Returns what went wrong and where, without other fields, values that were sent, or addresses. The messages of Prisma,
 * GraphQL, the network and parsers repeat such values, so their codes replace them, with PostgreSQL's own words where
 * these are safe.
 */
export function errorWithoutSecrets(error: unknown, causes = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: [] };
  const code = codeOf(error);
  return {
    type: error.constructor.name,
    ...(code !== null && { code }),
    message: safeMessage(error),
    stack: framesOf(error),
    ...(error.cause instanceof Error &&
      causes < MAX_CAUSES && { cause: errorWithoutSecrets(error.cause, causes + 1) }),
  };
}

export function reasonWithoutSecrets(error: unknown): string {
  const reasons: string[] = [];
  for (let cause = error; cause instanceof Error && reasons.length <= MAX_CAUSES; cause = cause.cause) {
    reasons.push(safeMessage(cause));
  }
  return reasons.join(': ');
}

export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

export function escapeInvisibleInLines(text: string): string {
  return text
    .split(/(\r?\n)/)
    .map((part, at) => (at % 2 === 0 ? escapeInvisible(part) : part))
    .join('');
}

function safeMessage(error: Error): string {
  if (repeatsValues(error)) return withPostgresWords(codeOf(error) ?? error.constructor.name, error);
  return error.message
    .replace(/\b[a-z][a-z\d+.-]*:\/\/[^\s"'`]+/gi, '[address]')
    .replace(/\beyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?/g, '[JWT]')
    .replace(KEY, '[key]')
    .slice(0, MAX_MESSAGE_LENGTH);
}

function repeatsValues(error: Error): boolean {
  if ('syscall' in error || 'severity' in error) return true;
  if (error instanceof SyntaxError || error instanceof GraphQLError) return true;
  return /^(?:Prisma|DriverAdapterError|ZodError|\$ZodError)/.test(error.name);
}

function codeOf(error: Error): string | null {
  const { code, originalCode } = codesOf(error);
  return (
    [code, originalCode].filter((each) => typeof each === 'string' && /^\w{1,64}$/.test(each)).join(' ') ||
    null
  );
}

function framesOf(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => /^at .+:\d+:\d+\)?$/.test(line));
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
