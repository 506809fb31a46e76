import { type Command, InvalidArgumentError } from 'commander';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { DAY_MS } from '../../../../shared/durations.ts';
import { LIVE_PATH } from '../../../../shared/paths.ts';
import { COMMANDS } from '../../../config/commandNames.ts';
import { type AccountSelector, addAccountOptions, requireAccount } from '../../arguments/accountSelector.ts';
import { keyNameSchema, parseFields } from '../../arguments/fieldRules.ts';
import { endTime, MAX_DAYS, wholeDays } from '../../arguments/typedTimes.ts';
import { type CommandContext, example } from '../../commandContext.ts';
import { keysTable } from '../reports/tables.ts';
import { addKey, extendKey, listKeys, revokeKey } from './keyStore.ts';

const USUAL_DAYS = 365;

const ADD_HELP = `
The key acts as the account and survives a password change. It stays valid until
it expires or is revoked, or the account ends or is disabled. It is printed
once, alone on standard output; only its hash is stored. A tool sends it as
"Authorization: Bearer".

With --player an address for a player or hardware codec is printed instead. Each
request to it redirects to the stream with a fresh token; it opens nothing else.
Anyone who has the address can hear the stream: give it to that one player, and
do not send it by chat, where it stays.

With --from the key is accepted only from that network, and refused elsewhere
like an unknown key. Repeat it for more networks.

Examples:
  ${COMMANDS.accountInPipes} add-key \\
    --username radio@uno.example --name recorder > key.txt
  ${COMMANDS.accountInPipes} add-key \\
    --username radio@uno.example --name codec \\
    --player --origin https://audio.example --from 203.0.113.7/32`;

const EXTEND_HELP = `
The days count from today, whenever the key would expire or has expired. The
key, or the player's address, stays the same.`;

const LIST_HELP = `
Without --username the keys of all accounts are listed, the soonest expiry
first. Expired keys are listed until they are revoked; --expiring leaves them
out.

Examples:
  ${COMMANDS.account} list-keys --username radio@uno.example
  ${COMMANDS.account} list-keys --expiring 30`;

type KeyOptions = AccountSelector & { name: string };
type ListOptions = AccountSelector & { expiring?: number; json?: true };
type AddOptions = KeyOptions & { days: number; player?: true; origin?: string; from?: string[] };

export function addKeyCommands(
  root: Command,
  { runtime, say, saySecret, remark, withDatabase, withAccount }: CommandContext,
): void {
  const inDays = (days: number) => new Date(runtime.clock().getTime() + days * DAY_MS);
  const endOf = (expiresAt: Date, accountEnd: Date | null) =>
    accountEnd !== null && accountEnd < expiresAt
      ? `${endTime(accountEnd)}, when the account ends`
      : endTime(expiresAt);

  const command = addAccountOptions(root.command('add-key'))
    .description('add a key for a tool or player, which then needs no password')
    .requiredOption('--name <name>', 'a name for it, by which the ledger, logs and metrics know it')
    .option('--days <days>', `days until it expires, 1 to ${MAX_DAYS}`, wholeDays, USUAL_DAYS)
    .option('--from <network>', 'accept it only from this network, e.g. 203.0.113.0/24', networks)
    .option('--player', 'make an address for a player instead')
    .option('--origin <origin>', 'with --player, the beginning of the address: https:// and the host', origin)
    .addHelpText('after', ADD_HELP);
  command.action(({ name, days, player, origin: begin, from = [], ...selector }: AddOptions) => {
    if (begin !== undefined && !player) command.error('error: --origin goes with --player');
    return withAccount(selector, async (database, account) => {
      parseFields(keyNameSchema, { name });
      const kind = player ? 'PLAYER' : 'TOOL';
      const expiresAt = inDays(days);
      const fields = { name, kind, expiresAt, networks: from, now: runtime.clock() } as const;
      const { key, accountEnd } = await addKey(database, account, fields);
      if (begin?.startsWith('http:'))
        remark('Over http anyone on the network path can read the address: use https');
      if (player && begin === undefined) {
        remark("Write the server's https:// and host before the address, as --origin does");
      }
      const bound = from.length === 0 ? '' : `, from ${from.join(' and ')} alone`;
      const end = endOf(expiresAt, accountEnd);
      if (player) remark('Do not send the address by chat, where it stays');
      remark(`Added ${name}, until ${end}${bound}. The ${player ? 'address' : 'key'}, shown only now:`);
      await saySecret(player ? `${begin ?? ''}${LIVE_PATH}${key}` : key, {
        name: 'key',
        remedy: 'revoke it with revoke-key, and add another',
      });
    });
  });

  addAccountOptions(root.command('extend-key'))
    .description('extend a key, even an expired one')
    .requiredOption('--name <name>', 'the key, as list-keys writes it')
    .option('--days <days>', `days from today until it expires, 1 to ${MAX_DAYS}`, wholeDays, USUAL_DAYS)
    .addHelpText('after', EXTEND_HELP)
    .addHelpText('after', example('extend-key --username radio@uno.example --name recorder'))
    .action(({ name, days, ...selector }: KeyOptions & { days: number }) =>
      withAccount(selector, async (database, account) => {
        const expiresAt = inDays(days);
        const accountEnd = await extendKey(database, account, { name, expiresAt, now: runtime.clock() });
        await say(`${name} of ${account.username} is now valid until ${endOf(expiresAt, accountEnd)}\n`);
      }),
    );

  addAccountOptions(root.command('list-keys'), { isOptional: true })
    .description('list keys, the soonest expiry first')
    .option('--expiring <days>', 'only those that expire within this many days', wholeDays)
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', LIST_HELP)
    .action(({ expiring, json, ...selector }: ListOptions) =>
      withDatabase(async ({ prisma }) => {
        const now = runtime.clock();
        const account = Object.keys(selector).length === 0 ? null : await requireAccount(prisma, selector);
        const keys = await listKeys(prisma, { account, days: expiring, now });
        const forPrograms = keys.map(({ isValid: _, ...key }) => key);
        await say(`${json ? JSON.stringify(forPrograms, null, 2) : keysTable(keys)}\n`);
      }),
    );

  addAccountOptions(root.command('revoke-key'))
    .description('revoke a key, which is refused from then on')
    .requiredOption('--name <name>', 'the key, as list-keys writes it')
    .addHelpText('after', example('revoke-key --username radio@uno.example --name recorder'))
    .action(({ name, ...selector }: KeyOptions) =>
      withAccount(selector, async (database, account) => {
        await revokeKey(database, account, name);
        await say(`Revoked ${name} of ${account.username}\n`);
      }),
    );
}

// Stricter than ipaddr.js, which takes 010.0.0.0 for 8.0.0.0.
const network = z.union([z.cidrv4(), z.cidrv6()]);

function networks(text: string, before: string[] = []): string[] {
  if (!network.safeParse(text).success) {
    throw new InvalidArgumentError(
      'It must be a network, such as 203.0.113.0/24 or 2001:db8::/32; 203.0.113.7/32 is one address.',
    );
  }
  const [address, bits] = ipaddr.parseCIDR(text);
  if (bits === 0) throw new InvalidArgumentError('It covers every address: leave --from out.');
  const family = address.kind() === 'ipv6' ? ipaddr.IPv6 : ipaddr.IPv4;
  return [...before, `${family.networkAddressFromCIDR(text)}/${bits}`];
}

function origin(text: string): string {
  if (!/^https?:\/\//i.test(text)) {
    throw new InvalidArgumentError('It must begin with https://, as in https://audio.example.');
  }
  if (!URL.canParse(text)) throw new InvalidArgumentError('It must name a host after https://.');
  const url = new URL(text);
  if (url.username || url.password) {
    throw new InvalidArgumentError('It must hold no user name and password: players show the address.');
  }
  if (url.href !== `${url.origin}/`) {
    throw new InvalidArgumentError(`It must be without a path: ${url.origin}.`);
  }
  return url.origin;
}
