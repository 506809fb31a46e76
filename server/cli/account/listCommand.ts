import type { Command } from 'commander';
import { DAY_MS } from '../../../shared/durations.ts';
import { accountState } from '../../accounts/accountState.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { isValidKey } from '../../keys/key.ts';
import { literally } from '../arguments/accountSelector.ts';
import { wholeDays } from '../arguments/typedTimes.ts';
import { type CommandContext, example } from '../commandContext.ts';
import { type AccountListing, accountsTable } from './reports/tables.ts';

export function addListCommand(root: Command, { runtime, say, withDatabase }: CommandContext): void {
  root
    .command('list')
    .description('list accounts')
    .option('--search <text>', 'only those whose username, company or id contains this, in any case')
    .option('--expiring <days>', 'only those that end within this many days', wholeDays)
    .option('--json', 'as a JSON array, for programs')
    .addHelpText('after', example('list --search "radio uno"'))
    .action(({ search, expiring, json }: { search?: string; expiring?: number; json?: true }) =>
      withDatabase(async ({ prisma }) => {
        const now = runtime.clock();
        const accounts = await listAccounts(prisma, { search, days: expiring, now });
        const none =
          search === undefined && expiring === undefined ? 'No accounts yet.' : 'No account matches.';
        const forPrograms = accounts.map(({ state: _, ...account }) => account);
        await say(`${json ? JSON.stringify(forPrograms, null, 2) : accountsTable(accounts, none)}\n`);
      }),
    );
}

async function listAccounts(
  prisma: PrismaClient,
  { search, days, now }: { search?: string | undefined; days?: number | undefined; now: Date },
): Promise<AccountListing[]> {
  const contains = { contains: literally(search ?? ''), mode: 'insensitive' } as const;
  const accounts = await prisma.account.findMany({
    where: {
      ...(search !== undefined && { OR: [{ username: contains }, { company: contains }, { id: contains }] }),
      ...(days !== undefined && { validUntil: { lte: new Date(now.getTime() + days * DAY_MS) } }),
    },
    omit: { passwordHash: true, credentialsVersion: true, attemptsVersion: true },
    include: { keys: { select: { expiresAt: true } } },
    orderBy: { username: 'asc' },
  });
  const lastTokens = await readLastTokens(
    prisma,
    accounts.map(({ id }) => id),
  );
  return accounts
    .map(({ keys, ...account }) => ({
      ...account,
      state: accountState(account, now),
      keys: keys.filter((key) => isValidKey({ ...key, account }, now)).length,
      lastTokenAt: lastTokens.get(account.id) ?? null,
    }))
    .filter(({ state }) => days === undefined || state === 'OPEN');
}

/** Raw SQL reads one row of the index for each account; Prisma's grouping would read the whole ledger. */
async function readLastTokens(prisma: PrismaClient, ids: string[]): Promise<Map<string, Date>> {
  const rows = await prisma.$queryRaw<Array<{ id: string; at: Date }>>`
    SELECT id, at FROM unnest(${ids}::text[]) AS account (id), LATERAL (
      SELECT created_at AS at FROM public.token_records
      WHERE account_id = account.id AND outcome = 'ISSUED' ORDER BY token_records.id DESC LIMIT 1
    ) AS newest`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}
