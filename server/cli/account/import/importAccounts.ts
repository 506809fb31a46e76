import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import type { z } from 'zod';
import { newRecordId } from '../../../database/recordId.ts';
import type { Prisma, PrismaClient } from '../../../generated/prisma/client.ts';
import { hashPassword } from '../../../signIn/password.ts';
import { accountSchema, faultsOf, typingRemarks } from '../../arguments/fieldRules.ts';
import type { ExportRow } from './parseAccountExport.ts';

export type ImportedRow = { place: string } & (
  | { outcome: 'added'; remarks: string[] }
  | { outcome: 'alreadyThere' }
  | { outcome: 'refused'; fault: string }
);

type Account = z.infer<typeof accountSchema>;
type HashedAccount = Omit<Account, 'password'> & { passwordHash: string };
type Waiting<Content> = { place: string; account: Content; remarks?: string[] };

const BATCH_ROWS = 100;

const HASHES_AT_ONCE = 2 * availableParallelism();

type ImportAudit = ReturnType<typeof createImportAudit>;

/** After `signal` aborts, rows that are being hashed are still added. */
export async function* importAccounts(
  prisma: PrismaClient,
  rows: ExportRow[],
  audit: ImportAudit,
  signal: AbortSignal,
): AsyncGenerator<ImportedRow> {
  const checked = refuseDoubles(rows.map(checkRow));
  const queue = new PQueue({ concurrency: HASHES_AT_ONCE });
  for (let from = 0; from < checked.length && !signal.aborted; from += BATCH_ROWS) {
    const compared = await compare(prisma, checked.slice(from, from + BATCH_ROWS));
    const hashed = await queue.addAll(
      compared.map((row) => async () => (signal.aborted ? [] : [await hash(row)])),
    );
    yield* await insert(prisma, audit, hashed.flat());
  }
}

export function createImportAudit(operator: string) {
  const id = newRecordId(new Date());
  let total = 0;
  return {
    async added(transaction: Prisma.TransactionClient, count: number): Promise<void> {
      total += count;
      const details = `${total} added`;
      await transaction.auditLine.upsert({
        where: { id },
        create: { id, operator, command: 'import', details },
        update: { details },
      });
    },
    async finish(prisma: Prisma.TransactionClient, details: string): Promise<void> {
      await prisma.auditLine.updateMany({ where: { id }, data: { details } });
    },
  };
}

function checkRow(row: ExportRow): ImportedRow | Waiting<Account> {
  const { place } = row;
  if ('fault' in row) return refused(place, row.fault);
  const { data: account, error } = accountSchema.safeParse(row.value);
  return error === undefined ? { place, account } : refused(place, faultsOf(error));
}

function refuseDoubles(rows: Array<ImportedRow | Waiting<Account>>): Array<ImportedRow | Waiting<Account>> {
  const placeOfId = new Map<string, string>();
  const placeOfUsername = new Map<string, string>();
  return rows.map((row) => {
    if (!isWaiting(row)) return row;
    const { place, account } = row;
    const sameId = placeOfId.get(account.id);
    if (sameId !== undefined) return refused(place, `same id as ${sameId}`);
    const sameUsername = placeOfUsername.get(account.username);
    if (sameUsername !== undefined) return refused(place, `same username as ${sameUsername}`);
    placeOfId.set(account.id, place);
    placeOfUsername.set(account.username, place);
    return row;
  });
}

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
  const { password, ...account } = row.account;
  const remarks = typingRemarks({ username: account.username, password });
  if (account.company !== account.company.trim())
    remarks.push('company begins or ends with a space: set-company writes it without');
  return { place: row.place, account: { ...account, passwordHash: await hashPassword(password) }, remarks };
}

async function insert(
  prisma: PrismaClient,
  audit: ImportAudit,
  batch: Array<ImportedRow | Waiting<HashedAccount>>,
): Promise<ImportedRow[]> {
  // Sorted: two imports of the same accounts at once could otherwise deadlock.
  const data = batch
    .filter(isWaiting)
    .map(({ account }) => account)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
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
  const rest = batch.map((row) =>
    isWaiting(row) && added.has(row.account.id)
      ? { place: row.place, outcome: 'added' as const, remarks: row.remarks ?? [] }
      : row,
  );
  // The rest was stored by another process since the comparison.
  const compared = await compare(prisma, rest);
  return compared.map((row) =>
    isWaiting(row) ? refused(row.place, 'changed meanwhile: run it again') : row,
  );
}

function isWaiting<Content>(row: ImportedRow | Waiting<Content>): row is Waiting<Content> {
  return 'account' in row;
}

function refused(place: string, fault: string): ImportedRow {
  return { place, outcome: 'refused', fault };
}
