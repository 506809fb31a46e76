import type { Readable, Writable } from 'node:stream';
import { toOperatorError } from '../database/databaseFault.ts';
import type { MigratedDatabase } from './migratedDatabase.ts';
import { LostOutput, writeFault, writeResult } from './program.ts';

/** Results go to `output`; questions, remarks, progress and errors to `remarks`. */
export type CommandRuntime = {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  remarks: Writable & { isTTY?: boolean; columns?: number };
  interruption: AbortController;
  operator: string;
  clock(): Date;
  openDatabase(onName: (name: string) => void): Promise<MigratedDatabase>;
};

export type CommandContext = {
  runtime: CommandRuntime;
  /** Writes a result. A reader may stop early, as `head` does; any other failure to write throws. */
  say(text: string): Promise<void>;
  /** Prints a new secret, which is shown only once; throws with its name and the remedy when it cannot be printed. */
  saySecret(secret: string, loss: { name: string; remedy: string }): Promise<void>;
  remark(text: string): void;
  withDatabase(work: (database: MigratedDatabase) => Promise<void>): Promise<void>;
  /** Finishes the command, but exits with 1. */
  markFailed(): void;
};

export function createCommandContext(runtime: CommandRuntime, markFailed: () => void): CommandContext {
  const remark = (text: string) => void runtime.remarks.write(`${text}\n`);
  return {
    runtime,
    say: (text) => writeResult(runtime.output, text),
    async saySecret(secret, { name, remedy }) {
      const code = await writeFault(runtime.output, `${secret}\n`);
      if (code !== null) throw new LostOutput(`the ${name} could not be written (${code}): ${remedy}`);
    },
    remark,
    async withDatabase(work) {
      // Otherwise an operator could look for the account in the wrong database.
      const database = await runtime.openDatabase((name) => remark(`in ${name}`));
      try {
        runtime.interruption.signal.throwIfAborted();
        await work(database);
      } catch (error) {
        throw toOperatorError(error, database.variable);
      } finally {
        await database.close();
      }
    },
    markFailed,
  };
}

export function example(command: string): string {
  return `\nExample:\n  npm run account -- ${command}`;
}
