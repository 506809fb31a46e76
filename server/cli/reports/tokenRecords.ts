import { firstIdAt } from '../../database/recordId.ts';
import { OperatorError } from '../../errors.ts';
import {
  Prisma,
  type PrismaClient,
  type TokenClient,
  type TokenOutcome,
} from '../../generated/prisma/client.ts';
import { tokenHashOf } from '../../streamTokens/tokenLedger.ts';
import { requireCompany } from './usage.ts';

/** A line of the ledger, for operators. Company and username are null for accounts that are gone. */
export type LedgerLine = {
  at: Date;
  company: string | null;
  username: string | null;
  accountId: string;
  outcome: TokenOutcome;
  address: string | null;
  client: TokenClient;
  expiry: Date | null;
};

export type LedgerQuestion = {
  /** Exactly as the accounts name it, null for every one. */
  company: string | null;
  /** The first moment that counts, and the first that does not any more. */
  from: Date | null;
  to: Date | null;
  /** A token, or an address that ends in one; null for every token. */
  token: string | null;
  limit: number;
};

/** No address of a stream has so many `=`. */
const MAX_ENDINGS = 100;

/**
 * The lines of the ledger, newest first.
 * @returns up to `limit` of them, and whether there are more
 * @throws {OperatorError} when no account is of that company
 */
export async function readTokenRecords(
  prisma: PrismaClient,
  { company, from, to, token, limit }: LedgerQuestion,
): Promise<{ lines: LedgerLine[]; isMore: boolean }> {
  if (company !== null) await requireCompany(prisma, company);
  const conditions = [Prisma.sql`true`];
  if (company !== null) conditions.push(Prisma.sql`accounts.company = ${company}`);
  if (from !== null) conditions.push(Prisma.sql`token_records.id >= ${firstIdAt(from)}::uuid`);
  if (to !== null) conditions.push(Prisma.sql`token_records.id < ${firstIdAt(to)}::uuid`);
  if (token !== null) {
    const hashes = endingsOf(token).map((ending) => tokenHashOf(ending).toString('hex'));
    conditions.push(Prisma.sql`encode(token_hash, 'hex') = ANY(${hashes}::text[])`);
  }
  // One more tells whether there are more.
  const lines = await prisma.$queryRaw<LedgerLine[]>`
    SELECT
      token_records.created_at AS at, company, username, account_id AS "accountId", outcome::text, address, client::text,
      expires_at AS expiry
    FROM token_records LEFT JOIN accounts ON accounts.id = token_records.account_id
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY token_records.id DESC LIMIT ${limit + 1}`;
  return { lines: lines.slice(0, limit), isMore: lines.length > limit };
}

/** What may be the token: all of it, or what follows an `=`, since a token may hold some itself. */
function endingsOf(text: string): string[] {
  const places = Array.from(text.matchAll(/=/g), ({ index }) => index + 1);
  return [0, ...places].slice(0, MAX_ENDINGS).map((place) => text.slice(place));
}

/**
 * What standard input has for `--token`.
 * @throws {OperatorError} when that is not one line
 */
export function tokenOfInput(input: string): string {
  const token = input.trim();
  if (token === '') throw new OperatorError('no token on standard input');
  if (/\s/.test(token)) throw new OperatorError('standard input holds more than one token');
  return token;
}
