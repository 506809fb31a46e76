import { decodeHTMLStrict } from 'entities';
import { LIVE_PATH } from '../../../../shared/paths.ts';
import { firstIdAt, idsBetween } from '../../../database/recordId.ts';
import { OperatorError } from '../../../errors.ts';
import type { PrismaClient, TokenOutcome, TokenRecord } from '../../../generated/prisma/client.ts';
import { isKey, KEY_PREFIX } from '../../../keys/key.ts';
import { tokenHashOf } from '../../../streamTokens/tokenLedger.ts';

export type LedgerLine = Omit<TokenRecord, 'id' | 'tokenHash'> & {
  company: string | null;
  username: string | null;
};

type LedgerQuestion = {
  company?: string | undefined;
  /** The first moment included, and the first excluded. */
  from?: Date | undefined;
  to?: Date | undefined;
  token?: string | undefined;
  outcome?: TokenOutcome | undefined;
  limit: number;
};

const MAX_LENGTH = 4_000;
const MAX_ENDINGS = 100;
/** Below the 32,767 parameters of a statement. */
const MAX_CANDIDATES = 32_000;
const RUN = /[^\s"'`<>()[\]{}|,;&#]+/g;

export type DayOfUsage = {
  company: string | null;
  day: string;
  tokens: number;
  providerFailures: number;
};

type AccountNames = { id: string; company: string; username: string };

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

export function tokenOfInput(input: string): string {
  const text = input.trim();
  if (isKey(text) || text.includes(`${LIVE_PATH}${KEY_PREFIX}`)) {
    throw new OperatorError('standard input holds a key, not a token: list-keys shows whose keys there are');
  }
  if (!text.match(RUN)) throw new OperatorError('no token on standard input');
  if (text.length > MAX_LENGTH) {
    throw new OperatorError(`standard input has more than ${MAX_LENGTH} characters: give the address alone`);
  }
  return text;
}

/** Raw SQL, because Prisma cannot group by the day of a time. */
export async function readUsage(
  prisma: PrismaClient,
  { since, company }: { since: Date; company: string | null },
): Promise<DayOfUsage[]> {
  if (company !== null) await accountsOfCompany(prisma, company);
  return prisma.$queryRaw<DayOfUsage[]>`
    SELECT
      coalesce(accounts.company, deleted_accounts.company) AS company,
      to_char(token_records.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      count(*) FILTER (WHERE outcome = 'ISSUED')::integer AS tokens,
      count(*) FILTER (WHERE outcome <> 'ISSUED')::integer AS "providerFailures"
    FROM public.token_records
      LEFT JOIN public.accounts ON accounts.id = token_records.account_id
      LEFT JOIN public.deleted_accounts ON deleted_accounts.id = token_records.account_id
    WHERE token_records.id >= ${firstIdAt(since)}::uuid
      AND (${company}::text IS NULL OR coalesce(accounts.company, deleted_accounts.company) = ${company}::text)
    GROUP BY 1, 2 ORDER BY 1 NULLS LAST, 2`;
}

/**
 * Returns every string that could be the token in a text: each run of `RUN`, and each part of it after an `=`. Tries
 * the text as it stands and decoded; with blanks that a terminal added or that stand for `+`; and with one or two `=`
 * appended, which some players drop.
 */
function tokenCandidates(text: string): string[] {
  const written = [
    text,
    withoutPercentSigns(unescaped(decodeHTMLStrict(text))),
    withoutQuotedPrintable(text),
  ];
  const runs = written.flatMap((form) => [
    form,
    ...[form, form.replace(/\s/g, ''), form.replaceAll(' ', '+')].flatMap((each) => each.match(RUN) ?? []),
  ]);
  const tokens = [...new Set(runs)].flatMap((run) => {
    const places = Array.from(run.matchAll(/=/g), ({ index }) => index + 1);
    return [0, ...places].slice(0, MAX_ENDINGS).map((place) => run.slice(place).replace(/[.:]$/, ''));
  });
  const candidates = [...new Set(tokens.flatMap((token) => [token, `${token}=`, `${token}==`]))];
  if (candidates.length > MAX_CANDIDATES) {
    throw new OperatorError('standard input contains too many possible tokens: give the address alone');
  }
  return candidates;
}

/** A log may have encoded an address twice. */
function withoutPercentSigns(text: string): string {
  return decodedTwice(text, /%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function unescaped(text: string): string {
  return decodedTwice(text, /\\(?:u([\da-f]{4})|(.))/gi, (_, hex, sign) =>
    hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function decodedTwice(text: string, encoded: RegExp, decode: (...groups: string[]) => string): string {
  return text.replace(encoded, decode).replace(encoded, decode);
}

function withoutQuotedPrintable(text: string): string {
  return decodeHTMLStrict(text.replace(/=\r?\n/g, '').replace(/=3D/gi, '='));
}

async function accountNames(prisma: PrismaClient, ids: string[]): Promise<Map<string, AccountNames>> {
  const found = await findNames(prisma, { id: { in: ids } });
  return new Map(found.map((names) => [names.id, names]));
}

async function accountsOfCompany(prisma: PrismaClient, company: string): Promise<string[]> {
  const found = await findNames(prisma, { company });
  if (found.length === 0) throw new OperatorError('no account belongs to that company; list shows all');
  return found.map(({ id }) => id);
}

/** Returns deleted accounts first, so that an account that was imported again has its present names. */
async function findNames(
  prisma: PrismaClient,
  where: { id: { in: string[] } } | { company: string },
): Promise<AccountNames[]> {
  const query = { where, select: { id: true, company: true, username: true } };
  const [deleted, present] = await Promise.all([
    prisma.deletedAccount.findMany(query),
    prisma.account.findMany(query),
  ]);
  return [...deleted, ...present];
}
