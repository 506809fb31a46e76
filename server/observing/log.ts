import { type DestinationStream, type Logger, pino } from 'pino';
import { loggedError } from './loggedError.ts';
import { escaped } from './visibleText.ts';

/** What a slow reader of the log may keep waiting in memory; after that, lines are dropped rather than requests delayed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A write for each line would cost a busy server as much as all the rest of a line. */
const WRITTEN_AT_ONCE_BYTES = 8 * 1024;
const WRITTEN_AFTER_MS = 100;

/**
 * Nothing of ours is logged under these names: a second line of defence, for objects that are logged whole. Ours, since
 * pino's own `redact` costs every line 40 µs for as many.
 */
const SECRET_KEYS = new Set([
  'authorization',
  'connectionString',
  'cookie',
  'databaseUrl',
  'device',
  'headers',
  'jwt',
  'jwtSecret',
  'password',
  'passwordHash',
  'rawPacket',
  'secret',
  'set-cookie',
  'streamUrl',
  'token',
  'tokenUrl',
  'url',
  'username',
  'variables',
]);

/** What a terminal obeys and nobody sees, as far as JSON lets it through: DEL and C1, changes of direction, line ends. */
const INVISIBLE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

type LogOutput = DestinationStream & { flush?(done: (error?: Error) => void): void };

/**
 * The log: a line of JSON each, in which no character is obeyed by a terminal (docs/decisions/0015-logs.md). Writing
 * never waits for the reader; `flush` does.
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
      formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields) },
      serializers: { err: loggedError },
    },
    visible,
  );
}

/** Resolves when everything logged so far is written. */
export function flushed(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** Looks at the fields and at those of plain objects in them, no deeper. */
function withoutSecrets(fields: Record<string, unknown>, isInside = false): Record<string, unknown> {
  const shown = Object.entries(fields).map(([key, value]) => {
    if (SECRET_KEYS.has(key)) return [key, '[secret]'];
    return [key, !isInside && isPlain(value) ? withoutSecrets(value, true) : value];
  });
  return Object.fromEntries(shown);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
