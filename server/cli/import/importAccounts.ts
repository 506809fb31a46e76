import { availableParallelism } from 'node:os';
import type { z } from 'zod';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { hashPassword } from '../../signIn/password.ts';
import { accountRules, faultsOf } from '../accountRules.ts';
import type { AccountsDatabase } from '../accountsDatabase.ts';
import { type EarlierRows, rememberRows } from './earlierRows.ts';
import type { ImportAudit } from './importAudit.ts';
import type { ExportRow } from './readAccountExport.ts';

/** The outcome of a row. */
export type ImportedRow = { place: string } & (
  | { outcome: 'added'; remark?: string }
  | { outcome: 'alreadyThere' }
  | { outcome: 'refused'; fault: string }
);

type Account = z.infer<typeof accountRules>;
type HashedAccount = Omit<Account, 'password'> & { passwordHash: string };
/** A row that is not settled yet. */
type Waiting<Content> = { place: string; account: Content };

const BATCH_ROWS = 100;
const BATCHES_AHEAD = 2;

/** Twice the cores, so that no core waits for the next row. */
const HASHES_AHEAD = 2 * availableParallelism();

/**
 * Adds the accounts of an export and hashes their passwords. An existing account (same id, same username) stays as it is. A
 * row that breaks a rule, or conflicts with another row or account, is refused; the others are added. Reading, hashing and
 * inserting overlap; memory holds a few hundred rows at most.
 * @param audit - counts the added accounts
 * @param signal - ends the import early; rows that are being hashed are still added
 * @returns the outcome of each row, in the order of the rows
 */
export async function* importAccounts(
  { prisma, connect }: AccountsDatabase,
  rows: AsyncIterable<ExportRow>,
  audit: ImportAudit,
  signal: AbortSignal,
): AsyncGenerator<ImportedRow> {
  const connection = await connect();
  try {
    const earlierRows = await rememberRows(connection);
    const different = refuseDoubles(earlierRows, inBatches(checkRows(rows)));
    const compared = mapAhead(different, BATCHES_AHEAD, (batch) => compare(prisma, batch));
    const hashed = mapAhead(untilAborted(compared, signal), HASHES_AHEAD, hash);
    for await (const batch of inBatches(hashed)) yield* await insert(prisma, audit, batch);
  } finally {
    await connection.end();
  }
}

/** Refuses rows that break a rule by themselves. */
async function* checkRows(rows: AsyncIterable<ExportRow>): AsyncGenerator<ImportedRow | Waiting<Account>> {
  for await (const row of rows) {
    const { place } = row;
    if ('fault' in row) {
      yield refused(place, row.fault);
      continue;
    }
    const { data: account, error } = accountRules.safeParse(row.value);
    yield error === undefined ? { place, account } : refused(place, faultsOf(error));
  }
}

/** Refuses rows with the id or the username of an earlier one. */
async function* refuseDoubles(
  earlierRows: EarlierRows,
  batches: AsyncIterable<Array<ImportedRow | Waiting<Account>>>,
): AsyncGenerator<Array<ImportedRow | Waiting<Account>>> {
  for await (const batch of batches) {
    const { ofId, ofUsername } = await earlierRows.placesFor(batch.filter(isWaiting));
    const checked = batch.map((row) => {
      if (!isWaiting(row)) return row;
      const { place, account } = row;
      const sameId = ofId.get(account.id);
      if (sameId !== undefined) return refused(place, `same id as ${sameId}`);
      const sameUsername = ofUsername.get(account.username);
      if (sameUsername !== undefined) return refused(place, `same username as ${sameUsername}`);
      ofId.set(account.id, place);
      ofUsername.set(account.username, place);
      return row;
    });
    await earlierRows.add(checked.filter(isWaiting));
    yield checked;
  }
}

/** Settles rows by the stored accounts, so that their passwords are not hashed. */
async function compare<Content extends { id: string; username: string }>(
  prisma: PrismaClient,
  batch: Array<ImportedRow | Waiting<Content>>,
): Promise<Array<ImportedRow | Waiting<Content>>> {
  const accounts = batch.filter(isWaiting).map(({ account }) => account);
  if (accounts.length === 0) return batch;
  const stored = await prisma.account.findMany({
    where: {
      OR: [
        { id: { in: accounts.map(({ id }) => id) } },
        { username: { in: accounts.map(({ username }) => username) } },
      ],
    },
    select: { id: true, username: true },
  });
  const usernameOf = new Map(stored.map(({ id, username }) => [id, username]));
  const usernames = new Set(usernameOf.values());
  return batch.map((row) => {
    if (!isWaiting(row)) return row;
    const { place, account } = row;
    const username = usernameOf.get(account.id);
    if (username === account.username) return { place, outcome: 'alreadyThere' };
    if (username !== undefined) return refused(place, 'id belongs to an account with another username');
    if (usernames.has(account.username)) {
      return refused(place, 'username belongs to an account with another id');
    }
    return row;
  });
}

async function hash(row: ImportedRow | Waiting<Account>): Promise<ImportedRow | Waiting<HashedAccount>> {
  if (!isWaiting(row)) return row;
  const { id, username, password, company } = row.account;
  return { place: row.place, account: { id, username, company, passwordHash: await hashPassword(password) } };
}

async function insert(
  prisma: PrismaClient,
  audit: ImportAudit,
  batch: Array<ImportedRow | Waiting<HashedAccount>>,
): Promise<ImportedRow[]> {
  const data = batch.filter(isWaiting).map(({ account }) => account);
  const added = new Set<string>();
  if (data.length > 0) {
    await prisma.$transaction(async (transaction) => {
      const inserted = await transaction.account.createManyAndReturn({
        data,
        skipDuplicates: true,
        select: { id: true },
      });
      for (const { id } of inserted) added.add(id);
      if (added.size === 0) return;
      await transaction.deletedAccount.deleteMany({ where: { id: { in: [...added] } } });
      await audit.added(transaction, added.size);
    });
  }
  const rest = batch.map((row): ImportedRow | Waiting<HashedAccount> =>
    isWaiting(row) && added.has(row.account.id) ? addedRow(row) : row,
  );
  // The rest was stored by another program since the comparison.
  const compared = await compare(prisma, rest);
  return compared.map((row) =>
    isWaiting(row) ? refused(row.place, 'changed meanwhile: run it again') : row,
  );
}

function isWaiting<Content>(row: ImportedRow | Waiting<Content>): row is Waiting<Content> {
  return 'account' in row;
}

function addedRow({ place, account: { username } }: Waiting<HashedAccount>): ImportedRow {
  if (username === username.trim()) return { place, outcome: 'added' };
  const remark = 'username begins or ends with a space, which must be typed too when signing in';
  return { place, outcome: 'added', remark };
}

function refused(place: string, fault: string): ImportedRow {
  return { place, outcome: 'refused', fault };
}

async function* untilAborted<Item>(
  batches: AsyncIterable<Item[]>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  for await (const batch of batches) {
    for (const item of batch) {
      if (signal.aborted) return;
      yield item;
    }
  }
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Maps in order, up to `ahead` items at a time. */
async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item>,
  ahead: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Array<Promise<Result>> = [];
  for await (const item of items) {
    const result = map(item);
    // A failure is thrown where the result is awaited; until then it must not count as unhandled.
    result.catch(() => {});
    underWay.push(result);
    const oldest = underWay.length >= ahead ? underWay.shift() : undefined;
    if (oldest !== undefined) yield await oldest;
  }
  for (const result of underWay) yield await result;
}
