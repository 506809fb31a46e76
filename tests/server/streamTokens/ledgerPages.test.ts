import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newRecordId } from '../../../server/database/recordId.ts';
import type { PrismaClient, TokenRecord } from '../../../server/generated/prisma/client.ts';
import { createTokenPages, type TokenPage } from '../../../server/streamTokens/ledgerPages.ts';
import { ACCOUNT, provideTestApp } from '../../support/testApp.ts';

const TOKENS = `query Tokens($first: Int, $after: String, $filter: TokenFilter) {
  tokens(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id createdAt expiry outcome address client keyName } }
    nodes { id createdAt expiry outcome address client keyName }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const START_MS = Date.parse('2026-11-20T18:30:00.000Z');

type Partner = { id: string; headers: { authorization: string } };

const app = provideTestApp();
let uno: Partner;
let dos: Partner;

beforeAll(async () => {
  const partner = async (username: string): Promise<Partner> => {
    const { id } = await app.addAccount({ ...ACCOUNT, username });
    return { id, headers: { authorization: `Bearer ${(await app.signIn(username)).jwt}` } };
  };
  uno = await partner('radio@uno.example');
  dos = await partner('radio@dos.example');
});
beforeEach(() => app.prisma.tokenRecord.deleteMany());

const at = (second: number) => new Date(START_MS + second * 1_000);
const iso = (second: number) => at(second).toISOString();
const range = (length: number, start = 0) => Array.from({ length }, (_, index) => start + index);

/** Records one failure for each of `seconds`, unless `changes` say otherwise. */
const record = (partner: Partner, seconds: number[], changes: Partial<TokenRecord> = {}) =>
  app.prisma.tokenRecord.createMany({
    data: seconds.map((second) => ({
      id: newRecordId(at(second)),
      accountId: partner.id,
      createdAt: at(second),
      client: 'TOOL' as const,
      outcome: 'PROVIDER_UNAVAILABLE' as const,
      ...changes,
    })),
  });

const ask = (partner: Partner, variables: Record<string, unknown> = {}) =>
  app.graphql(TOKENS, { headers: partner.headers, variables });

async function pageOf(partner: Partner, variables: Record<string, unknown> = {}): Promise<TokenPage> {
  const { data, text } = await ask(partner, variables);
  if (!data) throw new Error(text);
  return data.tokens as TokenPage;
}

async function expectBadInput(variables: Record<string, unknown>, message: string) {
  const { errors } = await ask(uno, variables);
  const [argument] = Object.keys(variables);
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', argument } }]);
}

const secondsOf = ({ edges }: TokenPage) =>
  edges.map(({ node }) => (new Date(node.createdAt).getTime() - START_MS) / 1_000);

test('tokens are listed newest first', async () => {
  const issued = { outcome: 'ISSUED', expiresAt: at(1_201), address: '203.0.113.9' } as const;
  await record(uno, [1], { client: 'BROWSER', ...issued });
  await record(uno, [2], { keyName: 'Emisora', outcome: 'PROVIDER_BAD_ANSWER', client: 'PLAYER' });
  const [newest, oldest] = await app.prisma.tokenRecord.findMany({ orderBy: { createdAt: 'desc' } });
  const { edges, nodes } = await pageOf(uno);
  expect(nodes).toEqual([
    {
      id: newest?.id,
      createdAt: iso(2),
      expiry: null,
      outcome: 'PROVIDER_BAD_ANSWER',
      address: null,
      client: 'PLAYER',
      keyName: 'Emisora',
    },
    {
      id: oldest?.id,
      createdAt: iso(1),
      expiry: iso(1_201),
      outcome: 'ISSUED',
      address: '203.0.113.9',
      client: 'BROWSER',
      keyName: null,
    },
  ]);
  expect(edges.map(({ node }) => node)).toEqual(nodes);
});

test('an account sees its own tokens alone', async () => {
  await record(uno, [0, 3]);
  await record(dos, [1, 4]);
  expect(secondsOf(await pageOf(uno))).toEqual([3, 0]);
});

test('pages hold each token once while new ones come', async () => {
  await record(uno, [...range(10), 9, 9, 9]);
  const seen: number[] = [];
  const infos: Array<[boolean, boolean]> = [];
  let after: string | null = null;
  do {
    const page: TokenPage = await pageOf(uno, { first: 5, after });
    seen.push(...secondsOf(page));
    infos.push([page.pageInfo.hasPreviousPage, page.pageInfo.hasNextPage]);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    await record(uno, range(3, 100 + 3 * infos.length));
  } while (after !== null);
  expect(seen).toEqual([9, 9, 9, ...range(10).reverse()]);
  expect(infos.join(' ')).toBe('false,true true,true true,false');
});

test.each([
  [{ first: null, after: null }, 20],
  [{ first: 1 }, 1],
  [{ first: 100 }, 100],
])('pages of %j have %i tokens', async (variables, length) => {
  await record(uno, range(101));
  const { edges, pageInfo } = await pageOf(uno, variables);
  expect([edges.length, pageInfo.hasNextPage]).toEqual([length, true]);
});

test.each([0, 101])('pages of %i tokens are refused', async (first) => {
  await expectBadInput({ first }, 'first must be from 1 to 100');
});

describe('a filter', () => {
  beforeEach(async () => {
    await record(uno, [0, 2, 4, 6]);
    await record(uno, [1, 3, 5], { outcome: 'ISSUED' });
  });

  test.each([
    ['from, which counts itself', { from: iso(5) }, [6, 5]],
    ['to, which does not', { to: iso(2) }, [1, 0]],
    ['one moment', { from: iso(2), to: iso(2) }, []],
    ['outcome', { outcome: 'ISSUED' }, [5, 3, 1]],
    ['all conditions', { from: iso(1), to: iso(5), outcome: 'PROVIDER_UNAVAILABLE' }, [4, 2]],
    ['nulls', { from: null, to: null, outcome: null }, [6, 5, 4, 3, 2, 1, 0]],
    ['all times', { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }, [6, 5, 4, 3, 2, 1, 0]],
  ])('by %s selects its tokens', async (_what, filter, seconds) => {
    expect(secondsOf(await pageOf(uno, { filter }))).toEqual(seconds);
  });

  test('that ends before it begins is refused', async () => {
    const filter = { from: iso(2), to: new Date(+at(2) - 1).toISOString() };
    await expectBadInput({ filter }, 'filter.from must not be after filter.to');
  });
});

test.each([
  ['all', null],
  ['an outcome that is rare', { outcome: 'ISSUED' as const }],
  ['a rare outcome in a time', { from: at(0), to: at(1_500), outcome: 'ISSUED' as const }],
])('a search for %s reads little more than its page', async (_what, filter) => {
  const first = 100;
  await record(uno, range(2_000));
  await app.prisma.$executeRaw`ANALYZE token_records`;
  await app.prisma.$transaction(async (transaction) => {
    const rowsRead = async () => {
      const [rows] = await transaction.$queryRaw<[{ read: number }]>`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'token_records'`;
      return rows.read;
    };
    const before = await rowsRead();
    const readPage = createTokenPages(transaction);
    await readPage({ accountId: uno.id, client: 'TOOL' }, { first, after: null, filter });
    expect((await rowsRead()) - before).toBeLessThan(2 * first);
  });
});

test('an account’s tools read four pages at once, its browsers four others', async () => {
  const findMany = vi.fn(() => new Promise(() => {}));
  const readPage = createTokenPages({ tokenRecord: { findMany } } as unknown as PrismaClient);
  const read = (accountId: string, client: 'TOOL' | 'BROWSER' = 'TOOL') =>
    readPage({ accountId, client }, { first: null, after: null });
  for (let page = 0; page < 4; page += 1) void read('uno');
  await expect(read('uno')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  void read('uno', 'BROWSER');
  void read('dos');
  expect(findMany).toHaveBeenCalledTimes(6);
});

test('a cursor of another account is refused', async () => {
  await record(dos, [0, 1]);
  const { startCursor } = (await pageOf(dos)).pageInfo;
  await expectBadInput({ after: startCursor }, 'after must be a cursor that this list was answered with');
});
