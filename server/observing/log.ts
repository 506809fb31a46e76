import { fstatSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import SonicBoom from 'sonic-boom';
import { DATABASE_ERROR, isDatabaseUnavailable, unavailableInWords } from '../database/databaseErrors.ts';
import { CodedError, INTERNAL_ERROR } from '../errors.ts';
import { errorWithoutSecrets, escapeInvisible, reasonWithoutSecrets } from './sanitizing.ts';

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

/** Lines wait in memory while the disk is full or the reader slow; beyond this they are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A write for each line would double its cost. */
const WRITTEN_AT_ONCE_BYTES = 8 * 1024;
const WRITTEN_AFTER_MS = 100;

const STANDARD_OUTPUT = 1;

type LogGap = {
  reason: string;
  since: string;
  dropped: number;
};

/** syslog's priorities (`sd-daemon(3)`) by pino's levels. */
const PRIORITIES: Array<[level: number, priority: number]> = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
  [0, 7],
];

export const ERROR_LEVEL = 50;

/** Lines of JSON without characters that a terminal obeys (docs/decisions/0015-logs.md). */
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

/**
 * Returns whether systemd's journal reads a file descriptor. JOURNAL_STREAM alone does not tell: children and terminals
 * inherit it (`systemd.exec(5)`).
 */
export function isJournal(fd: number, env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return env.JOURNAL_STREAM === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Begins each line with the priority that the journal files it under; the journal takes that prefix off. */
export function withPriority(level: number, text: string): string {
  const [, priority] = PRIORITIES.find(([from]) => level >= from) ?? [];
  return text.replaceAll(/^(?=.)/gm, `<${priority}>`);
}

export function logFailure(log: FastifyBaseLogger, error: unknown): void {
  if (error instanceof CodedError) {
    const isFailure = error.cause !== undefined;
    if (isFailure) log.warn({ code: error.code, reason: reasonWithoutSecrets(error.cause) }, 'failed');
  } else if (isDatabaseUnavailable(error)) {
    log.warn({ code: DATABASE_ERROR.code, reason: unavailableInWords(error) }, 'failed');
  } else {
    log.error({ code: INTERNAL_ERROR.code, err: error }, 'failed');
  }
}

/**
 * Opens standard output for the log. Writing never waits and never throws: lines that cannot be written yet stay in
 * memory, up to a limit. `pino.destination` would end the process at the first failure, or try for ever at exit.
 * @param onGap - called after a gap, once all waiting lines are written
 */
function openLogOutput(onGap: (gap: LogGap) => void): SonicBoom {
  const output = new SonicBoom({
    fd: STANDARD_OUTPUT,
    sync: false,
    minLength: WRITTEN_AT_ONCE_BYTES,
    periodicFlush: WRITTEN_AFTER_MS,
    maxLength: MAX_WAITING_BYTES,
  });
  let gap: LogGap | null = null;
  const gapBy = (reason: string) => {
    gap ??= { reason, since: new Date().toISOString(), dropped: 0 };
    return gap;
  };
  output.on('error', (error: NodeJS.ErrnoException) => void gapBy(error.code ?? error.name));
  output.on('drop', () => {
    gapBy('slow reader').dropped += 1;
  });
  output.on('drain', () => {
    if (gap === null) return;
    const ended = gap;
    gap = null;
    onGap(ended);
  });
  return output;
}
