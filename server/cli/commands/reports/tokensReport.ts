import { idsBetween } from '../../../database/recordId.ts';
import { OperatorError } from '../../../errors.ts';
import type { PrismaClient, TokenOutcome, TokenRecord } from '../../../generated/prisma/client.ts';
import { tokenHashOf } from '../../../streamTokens/tokenLedger.ts';
import { accountNames, accountsOfCompany } from './accountNames.ts';

export type LedgerLine = Omit<TokenRecord, 'id' | 'tokenHash'> & {
  company: string | null;
  username: string | null;
};

type LedgerQuestion = {
  company?: string | undefined;
  /** The first moment included, and the first excluded. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** A token, or an address that ends in one. */
  token?: string | undefined;
  outcome?: TokenOutcome | undefined;
  limit: number;
};

const MAX_ENDINGS = 100;

export async function readTokenRecords(
  prisma: PrismaClient,
  { company, from, to, token, outcome: only, limit }: LedgerQuestion,
): Promise<{ lines: LedgerLine[]; isMore: boolean }> {
  const accountIds = company === undefined ? null : await accountsOfCompany(prisma, company);
  const hashes = token === undefined ? null : endingsOf(token).map(tokenHashOf);
  const records = await prisma.tokenRecord.findMany({
    where: {
      id: idsBetween(from, to),
      ...(accountIds && { accountId: { in: accountIds } }),
      ...(hashes && { tokenHash: { in: hashes } }),
      ...(only && { outcome: only }),
    },
    omit: { tokenHash: true },
    orderBy: { id: 'desc' },
    // One more record tells whether there are more.
    take: limit + 1,
  });
  const names = await accountNames(
    prisma,
    records.map(({ accountId }) => accountId),
  );
  const lines = records.slice(0, limit).map((record) => {
    const { company: ownCompany = null, username = null } = names.get(record.accountId) ?? {};
    return { ...record, company: ownCompany, username };
  });
  return { lines, isMore: records.length > limit };
}

/** Returns the whole text and every part after an `=`: each may be the token, which may contain `=` itself. */
function endingsOf(text: string): string[] {
  const places = Array.from(text.matchAll(/=/g), ({ index }) => index + 1);
  return [0, ...places].slice(0, MAX_ENDINGS).map((place) => text.slice(place));
}

export function tokenOfInput(input: string): string {
  const token = input.trim();
  if (token === '') throw new OperatorError('no token on standard input');
  if (/\s/.test(token)) throw new OperatorError('standard input holds more than one token');
  return token;
}
