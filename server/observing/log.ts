import { type DestinationStream, type Logger, pino } from 'pino';
import { loggedError } from './loggedError.ts';
import { escaped } from './visibleText.ts';

/** How much waits in memory for a slow reader of the log; further lines are dropped rather than requests delayed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Lines are written together, because a write for each would cost as much as all the rest of a line. */
const WRITTEN_AT_ONCE_BYTES = 8 * 1024;
const WRITTEN_AFTER_MS = 100;

/**
 * Hidden wherever it is logged by mistake, as a second line of defence. The credentials are hidden within objects too;
 * for all names that would cost each line 50 µs instead of 15.
 */
const CREDENTIALS = [
  'authorization',
  'connectionString',
  'cookie',
  'jwt',
  'password',
  'token',
  'url',
  'username',
];
const SECRETS = [
  ...CREDENTIALS,
  'databaseUrl',
  'device',
  'headers',
  'jwtSecret',
  'passwordHash',
  'rawPacket',
  'secret',
  '["set-cookie"]',
  'streamUrl',
  'tokenUrl',
  'variables',
];

/** Invisible characters that JSON lets through and a terminal obeys: DEL and C1, changes of direction, line ends. */
const INVISIBLE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

type LogOutput = DestinationStream & { flush?(done: (error?: Error) => void): void };

/**
 * Creates the log: lines of JSON without characters that a terminal obeys (docs/decisions/0015-logs.md). Writing never
 * waits for the reader; `flush` does.
 * @param output - standard output unless given
 */
export function createLog({
  level,
  output = pino.destination({
    sync: false,
    minLength: WRITTEN_AT_ONCE_BYTES,
    periodicFlush: WRITTEN_AFTER_MS,
    maxLength: MAX_WAITING_BYTES,
  }),
}: {
  level: 'trace' | 'info' | 'warn';
  output?: LogOutput;
}): Logger {
  const visible: LogOutput = {
    write: (line) => output.write(line.replace(INVISIBLE, escaped)),
    flush: (done) => (output.flush ? output.flush(done) : done()),
  };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggedError },
      redact: { paths: [...SECRETS, ...CREDENTIALS.map((name) => `*.${name}`)], censor: '[secret]' },
    },
    visible,
  );
}

/** Resolves when everything logged so far is written. */
export function flushed(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}
