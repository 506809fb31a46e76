import type { Command } from 'commander';
import {
  type AccountState,
  accountState,
  type LockedAccount,
  lockAccount,
} from '../../accounts/accountState.ts';
import { writeAuditLine } from '../../accounts/auditLines.ts';
import { OperatorError } from '../../errors.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import {
  type AccountSelector,
  addAccountOptions,
  type FoundAccount,
  throwIfTaken,
} from '../arguments/accountSelector.ts';
import { type CommandContext, example, type Told } from '../commandContext.ts';

/** `isNone`: the account is so already, and nothing is written. */
export type Change = Told & { data?: Prisma.AccountUpdateInput; details?: string; isNone?: true };

export type ChangeCommand<Options, Prepared> = {
  name: string;
  description: string;
  options?(command: Command): Command;
  help?: string;
  example?: string;
  needsOpenAccount?: true;
  /** Asks and hashes before the account is locked. Null: the person declined, and nothing is changed. */
  prepare?(account: FoundAccount, options: Options): Promise<Prepared | null>;
  change(
    account: LockedAccount,
    given: Options & { now: Date; transaction: Prisma.TransactionClient; prepared: Prepared },
  ): Change | Promise<Change>;
};

const ACCOUNT_CHANGED = 'the account was changed meanwhile: run it again';

const REFUSALS: Partial<Record<AccountState, string>> = {
  DISABLED: 'the account is disabled: enable it first',
  ENDED: 'the account has ended: extend it first',
};

/**
 * Adds a command that changes one account and writes a line of the audit, both or neither. It is refused if another
 * operator has meanwhile deleted or renamed the account, or changed its company, its password or that it is enabled.
 */
export function addChangeCommand<Options extends object, Prepared = undefined>(
  root: Command,
  { runtime, withAccount, tell }: CommandContext,
  { name, description, options = (command) => command, help, ...rest }: ChangeCommand<Options, Prepared>,
): void {
  const command = options(addAccountOptions(root.command(name))).description(description);
  if (help !== undefined) command.addHelpText('after', help);
  if (rest.example !== undefined) command.addHelpText('after', example(rest.example));
  command.action((given: AccountSelector & Options) =>
    withAccount(given, async ({ prisma, operator }, seen) => {
      const prepared = await rest.prepare?.(seen, given);
      if (prepared === null) return;
      const changed = await prisma.$transaction(async (transaction) => {
        const now = runtime.clock();
        const account = await lockAccount(transaction, seen.id);
        if (account === null) throw new OperatorError(ACCOUNT_CHANGED);
        const refusal = rest.needsOpenAccount && REFUSALS[accountState(account, now)];
        if (refusal !== undefined) throw new OperatorError(refusal);
        if (!isSame(account, seen)) throw new OperatorError(ACCOUNT_CHANGED);
        const change = await rest.change(account, {
          ...given,
          now,
          transaction,
          prepared: prepared as Prepared,
        });
        const { data, details, isNone } = change;
        if (data !== undefined) {
          const where = { id: account.id };
          await transaction.account.update({ where, data, select: { id: true } }).catch(throwIfTaken);
        }
        if (!isNone) {
          await writeAuditLine(transaction, {
            operator,
            command: name,
            account,
            ...(details && { details }),
          });
        }
        return change;
      });
      await tell(changed, prisma);
    }),
  );
}

function isSame(account: LockedAccount, seen: FoundAccount): boolean {
  return (
    account.username === seen.username &&
    account.company === seen.company &&
    account.credentialsVersion === seen.credentialsVersion
  );
}
