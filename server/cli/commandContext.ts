import type { Readable, Writable } from 'node:stream';
import type { AuditedDatabase } from '../accounts/auditLines.ts';
import { COMMANDS } from '../config/installation.ts';
import { toOperatorError } from '../database/databaseErrors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { escapeInvisibleInLines } from '../observing/sanitizing.ts';
import { type AccountSelector, type FoundAccount, requireAccount } from './arguments/accountSelector.ts';
import { LostOutput, writeFault, writeResult } from './cliProcess.ts';
import type { MigratedDatabase } from './migratedDatabase.ts';

/** Results go to `output`; questions, remarks, progress and errors to `remarks`. */
export type CommandRuntime = {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  remarks: Writable & { isTTY?: boolean; columns?: number };
  interruption: AbortController;
  operator: string;
  clock(): Date;
  openDatabase(onName: (name: string) => void): Promise<MigratedDatabase>;
  /** The server's secret; null where it is not known. Call it after `openDatabase`, which reads `.env`. */
  jwtSecret(): string | null;
};

/** Shown only once: `remedy` says what to do if it could not be written. */
export type Secret = { text: string; name: string; remedy: string };

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
