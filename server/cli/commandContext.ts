import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { AuditedDatabase } from '../accounts/auditLines.ts';
import { dataFolder, demoSecretFile } from '../config/folders.ts';
import { COMMANDS } from '../config/installation.ts';
import { openDatabase } from '../database/database.ts';
import { toOperatorError } from '../database/databaseErrors.ts';
import { UnfinishedMigration } from '../database/migrations/migrationState.ts';
import { requireMigrations } from '../database/migrations/migrations.ts';
import { OperatorError } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { escapeInvisibleInLines } from '../observing/sanitizing.ts';
import { type AccountSelector, type FoundAccount, requireAccount } from './arguments/accountSelector.ts';
import { LostOutput, writeFault, writeResult } from './cliProcess.ts';
import { locateDatabase } from './locateDatabase.ts';

/** Longer than the server's: a list or an import may take long, and no page waits for it. */
const QUERY_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

const USE_RELEASE_THAT_SERVES =
  'Until then use the account commands of the release that serves: with systemd link /opt/audio to its folder again, ' +
  'in containers run them in an instance that has its image, such as app-2';

type MigratedDatabase = {
  prisma: PrismaClient;
  variable: string;
  close(): Promise<void>;
};

/** Results go to `output`; questions, remarks, progress and errors to `remarks`. */
export type CommandRuntime = {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  remarks: Writable & { isTTY?: boolean; columns?: number };
  interruption: AbortController;
  operator: string;
  clock(): Date;
  openDatabase(onName: (name: string) => void): Promise<MigratedDatabase>;
  /** Call it after `openDatabase`, which reads `.env`. */
  jwtSecret(): string | null;
};

/** `remedy` says what to do if it could not be written. */
type Secret = { text: string; name: string; remedy: string };

/** The output of a finished command. The secret comes before the remarks, whose queries could fail and lose it. */
export type Told = {
  says: string;
  secret?: Secret;
  remarks?(prisma: PrismaClient): string[] | Promise<string[]>;
};

export type CommandContext = ReturnType<typeof createCommandContext>;

export function createCommandContext(runtime: CommandRuntime, markFailed: () => void) {
  const remark = (text: string) => void runtime.remarks.write(`${escapeInvisibleInLines(text)}\n`);
  const say = (text: string) => writeResult(runtime.output, escapeInvisibleInLines(text));
  async function withDatabase(work: (database: AuditedDatabase) => Promise<void>): Promise<void> {
    // Otherwise an operator could look for the account in the wrong database.
    const database = await runtime.openDatabase((name) => remark(`in ${name}`));
    try {
      runtime.interruption.signal.throwIfAborted();
      await work({ prisma: database.prisma, operator: runtime.operator });
    } catch (error) {
      throw toOperatorError(error, database.variable);
    } finally {
      await database.close();
    }
  }
  return {
    runtime,
    markFailed,
    remark,
    say,
    /** @param text - of `csv`, which has escaped its fields */
    sayCsv: (text: string) => writeResult(runtime.output, text),
    async tell({ says, secret, remarks }: Told, prisma: PrismaClient): Promise<void> {
      if (secret === undefined)
        await say(`${says}
`);
      else {
        remark(`${says}, shown only now:`);
        const code = await writeFault(
          runtime.output,
          `${secret.text}
`,
        );
        const { name, remedy } = secret;
        if (code !== null) throw new LostOutput(`the ${name} could not be written (${code}): ${remedy}`);
      }
      for (const text of (await remarks?.(prisma)) ?? []) remark(text);
    },
    withDatabase,
    withAccount: (
      selector: AccountSelector,
      work: (database: AuditedDatabase, account: FoundAccount) => Promise<void>,
    ) => withDatabase(async (database) => work(database, await requireAccount(database.prisma, selector))),
  };
}

export function example(command: string): string {
  return `\nExample:\n  ${COMMANDS.account} ${command}`;
}

export async function openMigrated(
  env: NodeJS.ProcessEnv,
  { onName, signal }: { onName: (name: string) => void; signal: AbortSignal },
): Promise<MigratedDatabase> {
  const { url, variable } = await locateDatabase(env, { onName, signal });
  try {
    await requireMigrations(url, { variable, signal });
  } catch (error) {
    if (error instanceof UnfinishedMigration) {
      throw new OperatorError(`${error.message}. ${USE_RELEASE_THAT_SERVES}`);
    }
    throw error;
  }
  const database = openDatabase(url, {
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    transactionTimeoutMs: QUERY_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  return { prisma: database.prisma, variable, close: () => database.close() };
}

/** @param user - throws where the user has no name, as in a container that runs with a number */
export function operatorName({ SUDO_USER }: NodeJS.ProcessEnv, user = userInfo): string {
  if (SUDO_USER) return SUDO_USER;
  try {
    return user().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

export function serverSecret({ JWT_SECRET }: NodeJS.ProcessEnv): string | null {
  if (JWT_SECRET) return JWT_SECRET;
  try {
    return readFileSync(demoSecretFile(dataFolder()), 'utf8');
  } catch {
    return null;
  }
}
