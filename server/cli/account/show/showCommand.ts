import { type Command, InvalidArgumentError } from 'commander';
import { COMMANDS } from '../../../config/installation.ts';
import { ipAddressOf } from '../../../http/ipAddress.ts';
import { type AccountSelector, addAccountOptions } from '../../arguments/accountSelector.ts';
import type { CommandContext } from '../../commandContext.ts';
import { readAccountReport } from './accountReport.ts';
import { accountScreen } from './accountScreen.ts';

const SHOW_HELP = `
One screen: whether the account is open, its sessions, keys, failed sign-ins and
last tokens. A browser's use is noted once an hour, a tool's not at all; a
browser's session ends 14 days after its last use. --from adds what counts
against the network from which the partner signs in: ask for the address, or
take it from the log. Failed sign-ins are found by the server's JWT_SECRET.

Examples:
  ${COMMANDS.account} show --username radio@uno.example
  ${COMMANDS.account} show --username radio@uno.example --from 203.0.113.7`;

type ShowOptions = AccountSelector & { from?: string; json?: true };

export function addShowCommand(root: Command, { runtime, say, withAccount }: CommandContext): void {
  addAccountOptions(root.command('show'))
    .description('show the state of one account, for a partner who calls')
    .option('--from <address>', 'also what counts against the network of this IP address', address)
    .option('--json', 'as a JSON object with all sessions and more tokens, for programs')
    .addHelpText('after', SHOW_HELP)
    .action(({ from, json, ...selector }: ShowOptions) =>
      withAccount(selector, async ({ prisma }, account) => {
        const surroundings = { now: runtime.clock(), address: from ?? null, jwtSecret: runtime.jwtSecret() };
        const report = await readAccountReport(prisma, account, surroundings);
        await say(`${json ? JSON.stringify(report, null, 2) : accountScreen(report)}\n`);
      }),
    );
}

function address(text: string): string {
  const found = ipAddressOf(text);
  if (found !== null) return found;
  throw new InvalidArgumentError(
    text.includes('/')
      ? 'It must be one IP address, such as 203.0.113.7, not a network.'
      : 'It must be an IP address, such as 203.0.113.7 or 2001:db8::7.',
  );
}
