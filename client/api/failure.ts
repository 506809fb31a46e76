import { texts } from '../texts.ts';

const SECONDS_TOLD_AS_SECONDS = 90;

/** What the server says in `extensions.code`, as far as the partner is told something of its own about it. */
const CODES = [
  'INVALID_CREDENTIALS',
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_BAD_ANSWER',
  'DATABASE_UNAVAILABLE',
] as const;

type ServerCode = (typeof CODES)[number];

/**
 * Why an operation failed. `NO_ANSWER`: the server was not reached in time; `NO_NETWORK`: nor could it be, as far as the browser
 * knows; `NOT_LOADED`: our own code was not loaded.
 */
export type Failure = {
  code: ServerCode | 'NO_ANSWER' | 'NO_NETWORK' | 'NOT_LOADED' | 'UNKNOWN';
  retryAfterSeconds?: number | undefined;
};

/** The failure that a GraphQL error's `extensions` stand for; never decided by a message. */
export function failureFromExtensions(extensions: Record<string, unknown> | undefined): Failure {
  const code = CODES.find((known) => known === extensions?.code) ?? 'UNKNOWN';
  const retryAfterSeconds = extensions?.retryAfterSeconds;
  return typeof retryAfterSeconds === 'number' ? { code, retryAfterSeconds } : { code };
}

/** What the partner is told. */
export function failureText({ code, retryAfterSeconds }: Failure): string {
  return code === 'RATE_LIMITED' ? texts.rateLimited(waitText(retryAfterSeconds)) : texts.failures[code];
}

function waitText(seconds: number | undefined): string {
  if (seconds === undefined) return texts.someMinutes;
  if (seconds > SECONDS_TOLD_AS_SECONDS) return texts.minutes(Math.ceil(seconds / 60));
  return texts.seconds(Math.max(1, Math.ceil(seconds)));
}
