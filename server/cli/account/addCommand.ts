import type { Command } from 'commander';
import { writeAuditLine } from '../../accounts/auditLines.ts';
import { refuseTaken, remarksOnUsername, throwIfTaken } from '../arguments/accountSelector.ts';
import {
  accountSchema,
  CREDENTIAL_LENGTHS,
  parseFields,
  refuseOuterBlanks,
} from '../arguments/fieldRules.ts';
import { endFrom, endOfValidity, endText, UNTIL_HELP } from '../arguments/typedTimes.ts';
import { type CommandContext, example } from '../commandContext.ts';
import { choosePassword, PASSWORD_HELP, passwordTold } from './newPassword.ts';

type AddOptions = { username: string; company: string; until?: Date | 'none'; generate?: true };

export function addAddCommand(root: Command, { runtime, tell, withDatabase }: CommandContext): void {
  root
    .command('add')
    .description('add an account')
    .requiredOption('--username <username>', `what the partner signs in with, ${CREDENTIAL_LENGTHS}`)
    .requiredOption('--company <company>', "the partner company's name")
    .option('--until <date>', UNTIL_HELP, (text) => endOfValidity(text, runtime.clock()))
    .option('--generate', 'make a password and print it, this once')
    .addHelpText('after', PASSWORD_HELP)
    .addHelpText('after', example('add --username radio@uno.example --company "Radio Uno"'))
    .action(({ until, generate, ...typed }: AddOptions) =>
      withDatabase(async ({ prisma, operator }) => {
        const fields = parseFields(accountSchema.pick({ username: true, company: true }), typed);
        const { username, company } = fields;
        refuseOuterBlanks(fields);
        await refuseTaken(prisma, username);
        const chosen = await choosePassword(generate === true, runtime);
        const validUntil = endFrom(until);
        const { id } = await prisma.$transaction(async (transaction) => {
          const data = { username, company, passwordHash: chosen.passwordHash, validUntil };
          const account = await transaction.account.create({ data }).catch(throwIfTaken);
          const details = validUntil === null ? company : `${company}, ${endText(validUntil)}`;
          await writeAuditLine(transaction, { operator, command: 'add', account, details });
          return account;
        });
        const done = `Added ${username} (${company}) with id ${id}`;
        await tell(
          passwordTold(done, chosen, () => remarksOnUsername(prisma, username)),
          prisma,
        );
      }),
    );
}
