import { type DestinationStream, type Logger, pino } from 'pino';
import { errorWithoutSecrets } from '../sanitizing/errorWithoutSecrets.ts';
import { escapeInvisible } from '../sanitizing/escapeInvisible.ts';
import { isJournal, withPriority } from './journalPriority.ts';
import { openLogOutput, STANDARD_OUTPUT } from './logOutput.ts';

/**
 * Fields that are hidden if they are logged by mistake. Credentials are hidden within objects too; hiding all names
 * there would cost each line 50 µs instead of 15.
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

type LogOutput = DestinationStream & { flush?(done: (error?: Error) => void): void };

/**
 * Creates the log: lines of JSON without characters that a terminal obeys (docs/decisions/0015-logs.md). Writing never
 * waits for the reader; `flush` does.
 */
export function createLog({
  level,
  output,
}: {
  level: 'trace' | 'info' | 'warn';
  output?: LogOutput;
}): Logger {
  const to: LogOutput = output ?? openLogOutput((gap) => log.warn(gap, 'the log could not be written'));
  const toJournal = output === undefined && isJournal(STANDARD_OUTPUT);
  const escaping = {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      // JSON does not escape all invisible characters that a terminal obeys. Each line ends with \n.
      const escaped = `${escapeInvisible(line.slice(0, -1))}\n`;
      to.write(toJournal ? withPriority(this.lastLevel, escaped) : escaped);
    },
    flush: (done: () => void) => (to.flush ? to.flush(done) : done()),
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorWithoutSecrets },
      redact: { paths: [...SECRETS, ...CREDENTIALS.map((name) => `*.${name}`)], censor: '[secret]' },
    },
    escaping,
  );
  return log;
}

export async function flushed(log: Logger): Promise<void> {
  const flush = () => new Promise<void>((resolve) => log.flush(() => resolve()));
  // A flush during a write may leave less than `minLength` unwritten; a second flush writes it.
  await flush();
  await flush();
}
