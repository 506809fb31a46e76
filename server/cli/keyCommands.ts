import { type Command, InvalidArgumentError } from 'commander';
import { LIVE_PATH } from '../signIn/accountKeys.ts';
import { type CommandContext, example } from './commandContext.ts';
import { addKey, listKeys, revokeKey } from './keys.ts';
import { keysTable } from './reports/keysTable.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 365;
const MAX_DAYS = 3_650;

const ADD_HELP = `
The key stands for the account, also after a new password, until it expires, is revoked or the account is disabled. It
is printed once, alone on standard output; only a hash of it is kept. A tool sends it as "Authorization: Bearer".

With --player the address of a player or hardware codec is printed instead, which leads to the stream with a new token
each time that it is opened, and to nothing else. Whoever has the address hears the stream: give it to that one player.

Examples:
  npm run --silent account -- add-key --username radio@uno.example --name recorder > key.txt
  npm run --silent account -- add-key --username radio@uno.example --name codec --player --origin https://audio.example`;

type AddOptions = { username: string; name: string; days: number; player?: true; origin?: string };

/** Adds the commands `add-key`, `list-keys` and `revoke-key`. */
export function addKeyCommands(
  program: Command,
  { world, say, saySecret, remark, withDatabase }: CommandContext,
): void {
  const command = program
    .command('add-key')
    .description('add a key, for a tool or a player that is not to know the password')
    .requiredOption('--username <username>', 'the account')
    .requiredOption('--name <name>', 'a name for it, by which the ledger, logs and metrics know it')
    .option('--days <days>', `how long it stands, 1 to ${MAX_DAYS}`, wholeDays, USUAL_DAYS)
    .option('--player', 'for a player: print an address to be opened instead')
    .option('--origin <origin>', 'with --player, what the address begins with: https:// and the host', origin)
    .addHelpText('after', ADD_HELP);
  command.action(({ username, name, days, player, origin: begin }: AddOptions) => {
    if (begin !== undefined && !player) command.error('error: --origin goes with --player');
    return withDatabase(async ({ prisma }) => {
      const kind = player ? 'PLAYER' : 'TOOL';
      const expiresAt = new Date(world.clock().getTime() + days * DAY_MS);
      const key = await addKey(prisma, { username, name, operator: world.operator, kind, expiresAt });
      if (begin?.startsWith('http:')) remark('By http everybody on the way can read the address: use https');
      const until = expiresAt.toISOString().slice(0, 10);
      remark(`Added ${name}, until ${until}. The ${player ? 'address' : 'key'}, shown only now:`);
      await saySecret(player ? `${begin ?? ''}${LIVE_PATH}${key}` : key, {
        name: 'key',
        remedy: 'revoke it with revoke-key, and add another',
      });
    });
  });

  program
    .command('list-keys')
    .description('list the keys of an account, expired ones too')
    .requiredOption('--username <username>', 'the account')
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', example('list-keys --username radio@uno.example'))
    .action(({ username, json }: { username: string; json?: true }) =>
      withDatabase(async ({ prisma }) => {
        const keys = await listKeys(prisma, username);
        await say(`${json ? JSON.stringify(keys, null, 2) : keysTable(keys, world.clock())}\n`);
      }),
    );

  program
    .command('revoke-key')
    .description('revoke a key, which is refused from then on')
    .requiredOption('--username <username>', 'the account')
    .requiredOption('--name <name>', 'the key, as list-keys writes it')
    .addHelpText('after', example('revoke-key --username radio@uno.example --name recorder'))
    .action(({ username, name }: { username: string; name: string }) =>
      withDatabase(async ({ prisma }) => {
        await revokeKey(prisma, { username, name, operator: world.operator });
        await say(`Revoked ${name} of ${username}\n`);
      }),
    );
}

function wholeDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > MAX_DAYS) {
    throw new InvalidArgumentError(`It must be a whole number of days, 1 to ${MAX_DAYS}.`);
  }
  return days;
}

/** Parses an origin: scheme, host and optional port. */
function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError('It must be an address without a path, as https://audio.example.');
  }
  return url.origin;
}
