import { type Command, InvalidArgumentError } from 'commander';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { DAY_MS } from '../../../shared/durations.ts';
import { LIVE_PATH } from '../../../shared/paths.ts';
import { COMMANDS } from '../../config/installation.ts';
import { OperatorError } from '../../errors.ts';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { endingKeys, isValidKey, keyExpiry, keyHashOf, newKey, validKeys } from '../../keys/key.ts';
import { type AccountSelector, addAccountOptions, requireAccount } from '../arguments/accountSelector.ts';
import { keyNameSchema, parseFields } from '../arguments/fieldRules.ts';
import { endTime, MAX_DAYS, wholeDays } from '../arguments/typedTimes.ts';
import type { CommandContext } from '../commandContext.ts';
import { addChangeCommand, type ChangeCommand } from './changeCommand.ts';
import { type KeyListing, keysTable } from './reports/tables.ts';

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

const NO_SUCH_KEY = 'the account has no key of that name: list-keys shows them';
const NAME_TAKEN = 'the account has a key of that name: choose another, or revoke that one first';

// Stricter than ipaddr.js, which takes 010.0.0.0 for 8.0.0.0.
const network = z.union([z.cidrv4(), z.cidrv6()]);

type KeyOptions = { name: string };
type ExtendOptions = KeyOptions & { days: number };
type AddOptions = ExtendOptions & { player?: true; origin?: string; from?: string[] };
type ListOptions = AccountSelector & { expiring?: number; json?: true };

export function addKeyCommands(root: Command, context: CommandContext): void {
  const { runtime, say, withDatabase } = context;
  const add = <Options extends KeyOptions>(definition: ChangeCommand<Options, undefined>) =>
    addChangeCommand(root, context, definition);

  add<AddOptions>({
    name: 'add-key',
    description: 'add a key for a tool or player, which then needs no password',
    options: (command) =>
      command
        .requiredOption('--name <name>', 'a name for it, by which the ledger, logs and metrics know it')
        .option('--days <days>', `days until it expires, 1 to ${MAX_DAYS}`, wholeDays, USUAL_DAYS)
        .option('--from <network>', 'accept it only from this network, e.g. 203.0.113.0/24', networks)
        .option('--player', 'make an address for a player instead')
        .option(
          '--origin <origin>',
          'with --player, the beginning of the address: https:// and the host',
          origin,
        )
        .hook('preAction', () => {
          const given: Partial<AddOptions> = command.opts();
          if (given.origin !== undefined && !given.player)
            command.error('error: --origin goes with --player');
        }),
    help: ADD_HELP,
    needsOpenAccount: true,
    async change(
      { id: accountId, validUntil },
      { name, days, player, origin: begin, from = [], now, transaction },
    ) {
      parseFields(keyNameSchema, { name });
      const kind = player ? 'PLAYER' : 'TOOL';
      const key = newKey(kind);
      const expiresAt = inDays(days, now);
      const { count } = await transaction.accountKey.createMany({
        data: [{ accountId, keyHash: keyHashOf(key), name, kind, expiresAt, networks: from }],
        skipDuplicates: true,
      });
      if (count === 0) throw new OperatorError(NAME_TAKEN);
      const within = from.length === 0 ? '' : `, from ${from.join(' and ')}`;
      const alone = within && `${within} alone`;
      const says = `Added ${name}, until ${endOf(expiresAt, validUntil)}${alone}. The ${player ? 'address' : 'key'}`;
      return {
        details: `${name}, ${kind.toLowerCase()}, until ${expiresAt.toISOString()}${within}`,
        says: [...(player ? playerAdvice(begin) : []), says].join('\n'),
        secret: {
          text: player ? `${begin ?? ''}${LIVE_PATH}${key}` : key,
          name: 'key',
          remedy: 'revoke it with revoke-key, and add another',
        },
      };
    },
  });

  add<ExtendOptions>({
    name: 'extend-key',
    description: 'extend a key, even an expired one',
    options: (command) =>
      command
        .requiredOption('--name <name>', 'the key, as list-keys writes it')
        .option('--days <days>', `days from today until it expires, 1 to ${MAX_DAYS}`, wholeDays, USUAL_DAYS),
    help: EXTEND_HELP,
    example: 'extend-key --username radio@uno.example --name recorder',
    needsOpenAccount: true,
    async change({ id: accountId, username, validUntil }, { name, days, now, transaction }) {
      const expiresAt = inDays(days, now);
      const where = { accountId, name };
      const { count } = await transaction.accountKey.updateMany({ where, data: { expiresAt } });
      if (count === 0) throw new OperatorError(NO_SUCH_KEY);
      return {
        details: `${name}, until ${expiresAt.toISOString()}`,
        says: `${name} of ${username} is now valid until ${endOf(expiresAt, validUntil)}`,
      };
    },
  });

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

  add<KeyOptions>({
    name: 'revoke-key',
    description: 'revoke a key, which is refused from then on',
    options: (command) => command.requiredOption('--name <name>', 'the key, as list-keys writes it'),
    example: 'revoke-key --username radio@uno.example --name recorder',
    async change({ id: accountId, username }, { name, transaction }) {
      const { count } = await transaction.accountKey.deleteMany({ where: { accountId, name } });
      if (count === 0) throw new OperatorError(NO_SUCH_KEY);
      return { details: name, says: `Revoked ${name} of ${username}` };
    },
  });
}

export async function listKeys(
  prisma: PrismaClient,
  { account, days, now }: { account: { id: string } | null; days?: number | undefined; now: Date },
): Promise<KeyListing[]> {
  const keys = await prisma.accountKey.findMany({
    where: {
      ...(account && { accountId: account.id }),
      ...(days !== undefined && endingKeys(days, now)),
    },
    include: { account: { select: { username: true, disabled: true, validUntil: true } } },
    orderBy: [{ account: { username: 'asc' } }, { name: 'asc' }],
  });
  return keys
    .map((key) => ({
      username: key.account.username,
      name: key.name,
      kind: key.kind,
      createdAt: key.createdAt,
      expiresAt: keyExpiry(key),
      networks: key.networks,
      lastUsedAt: key.lastUsedAt,
      isValid: isValidKey(key, now),
    }))
    .sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
}

export function countValidKeys(
  { accountKey }: Pick<Prisma.TransactionClient, 'accountKey'>,
  accountId: string,
  now: Date,
): Promise<number> {
  return accountKey.count({ where: { accountId, ...validKeys(now) } });
}

function playerAdvice(begin: string | undefined): string[] {
  return [
    ...(begin?.startsWith('http:')
      ? ['Over http anyone on the network path can read the address: use https']
      : []),
    ...(begin === undefined
      ? ["Write the server's https:// and host before the address, as --origin does"]
      : []),
    'Do not send the address by chat, where it stays',
  ];
}

function inDays(days: number, now: Date): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

function endOf(expiresAt: Date, accountEnd: Date | null): string {
  return accountEnd !== null && accountEnd < expiresAt
    ? `${endTime(accountEnd)}, when the account ends`
    : endTime(expiresAt);
}

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
