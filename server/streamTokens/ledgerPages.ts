import { createHash } from 'node:crypto';
import { idsBetween } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { PrismaClient, TokenClient, TokenOutcome, TokenRecord } from '../generated/prisma/client.ts';
import { createLimitPerGroup } from '../http/limitPerGroup.ts';

type TokenListing = Omit<TokenRecord, 'accountId' | 'tokenHash' | 'expiresAt'> & { expiry: Date | null };

/** A page of records (Cursor Connections Specification, https://relay.dev/graphql/connections.htm). */
export type TokenPage = {
  edges: Array<{ cursor: string; node: TokenListing }>;
  nodes: TokenListing[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
};

/** GraphQL lets null through: it means the default for `first`, and no condition in the filter. */
type PageRequest = {
  first: number | null;
  after: string | null;
  /** `from` is included, `to` is not. */
  filter?: { from?: Date | null; to?: Date | null; outcome?: TokenOutcome | null } | null;
};

const PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;
const MAX_PAGES_AT_ONCE = 4;
const ID_BYTES = 16;
const MARK_BYTES = 8;

export type ReadTokenPage = ReturnType<typeof createTokenPages>;

type PageReader = { accountId: string; client: TokenClient };

/**
 * Creates the reader of an account's own records, which returns a page, newest first, in one round trip.
 * @throws {CodedError} `BAD_USER_INPUT` when `first` is out of bounds, `after` is not a cursor of this account's
 *   list, or the filter ends before it begins; `RATE_LIMITED` beyond `MAX_PAGES_AT_ONCE`
 */
export function createTokenPages(prisma: Pick<PrismaClient, 'tokenRecord'>) {
  const limit = createLimitPerGroup({ maxAtOnce: MAX_PAGES_AT_ONCE });
  return ({ accountId, client }: PageReader, request: PageRequest): Promise<TokenPage> =>
    limit.run(`${client} ${accountId}`, () => readPage(prisma, accountId, request));
}

async function readPage(
  prisma: Pick<PrismaClient, 'tokenRecord'>,
  accountId: string,
  request: PageRequest,
): Promise<TokenPage> {
  const { after } = request;
  const { from, to, outcome } = request.filter ?? {};
  const first = request.first ?? PAGE_SIZE;
  if (first < 1 || first > MAX_PAGE_SIZE) {
    throw new CodedError('BAD_USER_INPUT', `first must be from 1 to ${MAX_PAGE_SIZE}`, {
      argument: 'first',
    });
  }
  if (from && to && from > to) {
    throw new CodedError('BAD_USER_INPUT', 'filter.from must not be after filter.to', {
      argument: 'filter',
    });
  }
  const records = await prisma.tokenRecord.findMany({
    where: {
      accountId,
      ...(outcome && { outcome }),
      // The id begins with the time, so that the indexes, which end with it, serve the filter by time too.
      AND: [
        { id: idsBetween(from, to) },
        ...(after === null ? [] : [{ id: { lt: idOfCursor(after, accountId) } }]),
      ],
    },
    orderBy: { id: 'desc' },
    // One more than asked for, to know whether there is a next page.
    take: first + 1,
    omit: { accountId: true, tokenHash: true },
  });
  const edges = records.slice(0, first).map(({ expiresAt: expiry, ...record }) => ({
    cursor: cursorOf(record.id, accountId),
    node: { ...record, expiry },
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: records.length > first,
      hasPreviousPage: after !== null,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The record's id and a mark of its account. The mark needs no secret: a forged cursor opens only one's own list. */
function cursorOf(id: string, accountId: string): string {
  const mark = createHash('sha256').update(id).update(accountId).digest().subarray(0, MARK_BYTES);
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), mark]).toString('base64url');
}

function idOfCursor(cursor: string, accountId: string): string {
  const hex = Buffer.from(cursor, 'base64url').subarray(0, ID_BYTES).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  if (cursorOf(id, accountId) === cursor) return id;
  throw new CodedError('BAD_USER_INPUT', 'after must be a cursor that this list was answered with', {
    argument: 'after',
  });
}
