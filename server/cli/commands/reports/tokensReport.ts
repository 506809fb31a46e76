import { decodeHTML } from 'entities';
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
const MAX_DECODINGS = 2;

export async function readTokenRecords(
  prisma: PrismaClient,
  { company, from, to, token, outcome: only, limit }: LedgerQuestion,
): Promise<{ lines: LedgerLine[]; isMore: boolean }> {
  const accountIds = company === undefined ? null : await accountsOfCompany(prisma, company);
  const hashes = token === undefined ? null : tokenCandidates(token).map(tokenHashOf);
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

/**
 * Returns every string that could be the token in a text: the text, and each part after an `=`. Tries each as it stands;
 * with the percent-encoding of logs and the HTML entities of pages decoded; cut before a following parameter; and with
 * one or two `=` appended, which some players drop.
 */
function tokenCandidates(text: string): string[] {
  const written = [text, withoutPercentSigns(text), withoutPercentSigns(decodeHTML(text))];
  const endings = written.flatMap((form) => {
    const places = Array.from(form.matchAll(/=/g), ({ index }) => index + 1);
    return [0, ...places].slice(0, MAX_ENDINGS).map((place) => form.slice(place));
  });
  const tokens = endings.flatMap((ending) => [ending, ending.split('&', 1).join()]);
  return [...new Set(tokens.flatMap((token) => [token, `${token}=`, `${token}==`]))];
}

/** A log may have encoded an address twice. */
function withoutPercentSigns(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS && /%[\da-f]{2}/i.test(decoded); round += 1) {
    decoded = decoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return decoded;
}

export function tokenOfInput(input: string): string {
  // Quotation marks, brackets and commas stand around an address in a log or a message.
  const token = input.trim().replace(/^["'`<(]+|["'`>),;.]+$/g, '');
  if (token === '') throw new OperatorError('no token on standard input');
  if (/\s/.test(token)) throw new OperatorError('standard input holds more than one token');
  return token;
}
