import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { runAccountCommand } from '../../../server/cli/account/runAccountCommand.ts';
import { type CommandRuntime, openMigrated } from '../../../server/cli/commandContext.ts';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import type { Database } from '../../../server/database/database.ts';
import type { Prisma } from '../../../server/generated/prisma/client.ts';
import { openPatientDatabase } from '../../support/patientDatabase.ts';
import { createTestDatabase, type TestDatabase } from '../../support/testDatabase.ts';

/** The person at the terminal in `runAccountHere`. */
export const OPERATOR = 'operadora';

/** `remarks` leaves out the name of a test database, which differs from run to run. */
export type Outcome = { exitCode: number | null; output: string; remarks: string };

type RunOptions = {
  url?: string;
  env?: Record<string, string>;
  input?: string | Buffer | (Readable & { isTTY?: boolean });
  /** By default the output is collected. */
  output?: Writable;
  interruption?: AbortController;
  clock?: () => Date;
  openDatabase?: CommandRuntime['openDatabase'];
  onRemark?: (text: string) => void;
  jwtSecret?: string;
};

export const done = (output: string, remarks = ''): Outcome => ({
  exitCode: 0,
  output: `${output}\n`,
  remarks,
});

/** Matches a command that prints no result and says this among other words. */
export const refused = (words: string, exitCode = 1) => ({
  exitCode,
  output: '',
  remarks: expect.stringContaining(words),
});

/** Gives a test file a database of its own, empty before each test, and runs commands on it. */
export function provideAccountsDatabase() {
  let own: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    own = await createTestDatabase();
    database = openPatientDatabase(own.url);
  });
  beforeEach(async () => {
    await database.prisma.account.deleteMany();
    await database.prisma.deletedAccount.deleteMany();
    await database.prisma.tokenRecord.deleteMany();
    await database.prisma.auditLine.deleteMany();
  });
  afterAll(async () => {
    await database.close();
    await own.drop();
  });
  const opened = async () => ({ prisma: database.prisma, variable: 'DATABASE_URL', close: async () => {} });
  return {
    get url() {
      return own.url;
    },
    get prisma() {
      return database.prisma;
    },
    addAccount: (
      fields: Omit<Prisma.AccountCreateInput, 'company' | 'passwordHash'> & { company?: string },
    ) =>
      database.prisma.account.create({
        data: { company: 'Radio Uno', passwordHash: 'not a hash', ...fields },
      }),
    /** Runs a command on the connections of the test file; `runAccountHere` opens the database as the program does. */
    run: (args: string[], options: RunOptions = {}) =>
      runAccountHere(args, { openDatabase: opened, ...options }),
  };
}

export function startAccountProcess(args: string[], env: Record<string, string>, command = 'account') {
  const child = spawn(process.execPath, [path.join('dist', 'server', `${command}.js`), ...args], {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, ...env },
  });
  const outcome = async (): Promise<Outcome> => {
    const [output, remarks, [exitCode]] = await Promise.all([
      // Fails where a test closed the pipe.
      text(child.stdout).catch(() => ''),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode, output, remarks: withoutTestDatabase(remarks) };
  };
  return { child, outcome: outcome() };
}

export async function runAccountHere(
  args: string[],
  {
    url = '',
    env = { DATABASE_URL: url },
    input = '',
    output = new PassThrough(),
    interruption = new AbortController(),
    clock = () => new Date(),
    openDatabase = (onName) => openMigrated(env, { onName, signal: interruption.signal }),
    onRemark = () => {},
    jwtSecret,
  }: RunOptions,
): Promise<Outcome> {
  const remarks = new PassThrough().on('data', (chunk) => onRemark(String(chunk)));
  // Read from the start: a command waits until its output is taken.
  const written = Promise.all([output instanceof PassThrough ? text(output) : '', text(remarks)]);
  const exitCode = await runAccountCommand(args, {
    input: typeof input === 'string' || Buffer.isBuffer(input) ? new PassThrough().end(input) : input,
    output,
    remarks,
    interruption,
    operator: OPERATOR,
    clock,
    openDatabase,
    jwtSecret: () => jwtSecret ?? null,
  });
  output.end();
  remarks.end();
  const [said, remarked] = await written;
  return { exitCode, output: said, remarks: withoutTestDatabase(remarked) };
}

function withoutTestDatabase(remarks: string): string {
  return remarks.replace(/^in the database test_\w+ at .* \(DATABASE_URL\)\n/m, '');
}
