import { type DestinationStream, type Logger, pino } from 'pino';
import { loggedError } from './loggedError.ts';

/** What a slow reader of the log may keep waiting in memory; after that, lines are dropped rather than requests delayed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Nothing of ours is logged under these names: a second line of defence, for objects that are logged whole. */
const SECRET_KEYS = [
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
];

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
  output = pino.destination({ sync: false, minLength: 1, maxLength: MAX_WAITING_BYTES }),
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
      redact: { paths: SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`]), censor: '[secret]' },
    },
    visible,
  );
}

/** Resolves when everything logged so far is written. */
export function flushed(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
