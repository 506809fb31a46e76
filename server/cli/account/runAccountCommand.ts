import { Command, CommanderError, Option } from 'commander';
import { COMMANDS } from '../../config/installation.ts';
import { escapeInvisible } from '../../observing/sanitizing.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, writeFailure } from '../cliProcess.ts';
import { type CommandRuntime, createCommandContext } from '../commandContext.ts';
import { addAccountChanges } from './accountChanges.ts';
import { addAddCommand } from './addCommand.ts';
import { addImportCommand } from './import/importCommand.ts';
import { addKeyCommands } from './keyCommands.ts';
import { addListCommand } from './listCommand.ts';
import { addNoticeCommands } from './noticeCommands.ts';
import { addReportCommands } from './reports/reportCommands.ts';
import { addShowCommand } from './show/showCommand.ts';

const HELP = `
A password is never an argument: the process list and the shell's history would
show it. Pipe it in as one line, type it twice on a terminal, or have one made
and printed with --generate.

Examples:
  ${COMMANDS.account} add --username radio@uno.example --company "Radio Uno"
  ${COMMANDS.account} add --username radio@dos.example --company Dos --generate
  ${COMMANDS.account} set-password --username radio@uno.example < password.txt
  ${COMMANDS.account} show --username radio@uno.example
  ${COMMANDS.account} disable --username radio@uno.example
  ${COMMANDS.accountInPipes} add-key --username radio@uno.example --name codec
  ${COMMANDS.account} import accounts.json
  ${COMMANDS.accountInPipes} list --json
  ${COMMANDS.account} usage --since 2026-11-01

The database is the server's: DATABASE_URL, or the embedded one while the server
runs.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 78 wrong configuration,
130 interrupted.`;

export async function runAccountCommand(args: string[], runtime: CommandRuntime): Promise<number> {
  let exitCode = EXIT_OK;
  try {
    const context = createCommandContext(runtime, () => {
      exitCode = EXIT_FAILED;
    });
    const root = accountCommand(runtime);
    addAddCommand(root, context);
    addListCommand(root, context);
    addAccountChanges(root, context);
    addShowCommand(root, context);
    addKeyCommands(root, context);
    addReportCommands(root, context);
    addNoticeCommands(root, context);
    addImportCommand(root, context);
    await root.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    return writeFailure(error, runtime.remarks, runtime.interruption.signal);
  }
}

function accountCommand(runtime: CommandRuntime): Command {
  const root = new Command(`${COMMANDS.account}`)
    .description("Manages the partners' accounts.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => runtime.output.write(text),
      writeErr: (text) => runtime.remarks.write(text),
      outputError: (text, write) => write(`${escapeInvisible(text.trim().replaceAll('\n', ' '))}\n`),
    })
    .addHelpText('after', HELP)
    .addOption(new Option('--password [password]').hideHelp())
    .on('option:password', () => {
      root.error('error: a password is not taken as an argument: type it, pipe it in, or use --generate');
    });
  return root;
}
