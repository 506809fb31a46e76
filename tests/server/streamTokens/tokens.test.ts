import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TokenPage } from '../../../server/streamTokens/ledgerPages.ts';
import { createTokenLedger, type TokenAttempt } from '../../../server/streamTokens/tokenLedger.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../../support/testApp.ts';

const TOKENS = `query Tokens($first: Int, $after: String, $filter: TokenFilter) {
  tokens(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id createdAt expiry outcome address client keyName } }
    nodes { id createdAt expiry outcome address client keyName }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const NO_CURSOR = 'after must be a cursor that this list was answered with';
const START_MS = Date.parse('2026-11-20T18:30:00.000Z');

type Partner = { id: string; headers: { authorization: string } };

let app: TestApp;
let uno: Partner;
let dos: Partner;
let tres: Partner;

beforeAll(async () => {
  app = await startTestApp();
  const partner = async (username: string): Promise<Partner> => {
    const { id } = await app.addAccount({ ...ACCOUNT, username });
    return { id, headers: { authorization: `Bearer ${(await app.signIn(username)).jwt}` } };
  };
  uno = await partner('radio@uno.example');
  dos = await partner('radio@dos.example');
  tres = await partner('radio@tres.example');
});
afterAll(() => app.close());
beforeEach(() => app.prisma.tokenRecord.deleteMany());

const at = (second: number) => new Date(START_MS + second * 1_000);

/** Records one attempt for each of `seconds`, a failure unless `changes` say otherwise. */
async function record(
  partner: Partner,
  seconds: number[],
  changes: Partial<TokenAttempt> = {},
): Promise<void> {
  const ledger = createTokenLedger(app.prisma);
  const attempts = seconds.map((second) => ({
    accountId: partner.id,
    address: '203.0.113.9',
    client: 'TOOL' as const,
    keyName: null,
    createdAt: at(second),
    outcome: 'PROVIDER_UNAVAILABLE' as const,
    ...changes,
  }));
  await Promise.all(attempts.map((attempt) => ledger.record(attempt)));
}

const range = (length: number, start = 0) => Array.from({ length }, (_, index) => start + index);

const ask = (partner: Partner, variables: Record<string, unknown> = {}) =>
  app.graphql(TOKENS, { headers: partner.headers, variables });

async function pageOf(partner: Partner, variables: Record<string, unknown> = {}): Promise<TokenPage> {
  const { data, text } = await ask(partner, variables);
  if (!data) throw new Error(text);
  return data.tokens as TokenPage;
}

/** Expects one argument to be refused, and named. */
async function expectBadInput(partner: Partner, variables: Record<string, unknown>, message: string) {
  const { data, errors } = await ask(partner, variables);
  expect(data).toBeNull();
  const [argument] = Object.keys(variables);
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', argument } }]);
}

const secondsOf = ({ edges }: TokenPage) =>
  edges.map(({ node }) => (new Date(node.createdAt).getTime() - START_MS) / 1_000);

describe('the tokens of an account', () => {
  test('are all that is known of those issued and not issued, newest first', async () => {
    const expiry = at(1_201);
    await record(uno, [1], { client: 'BROWSER', outcome: { token: 'dG9rZW4=', expiry } });
    await record(uno, [2], { address: null, keyName: 'Emisora', outcome: 'PROVIDER_BAD_ANSWER' });
    const { data, text } = await ask(uno);
    const [newest, oldest] = (await pageOf(uno)).edges.map(({ cursor }) => cursor);
    const failed = {
      id: expect.any(String),
      createdAt: at(2).toISOString(),
      expiry: null,
      outcome: 'PROVIDER_BAD_ANSWER',
      address: null,
      client: 'TOOL',
      keyName: 'Emisora',
    };
    const issued = {
      id: expect.any(String),
      createdAt: at(1).toISOString(),
      expiry: expiry.toISOString(),
      outcome: 'ISSUED',
      address: '203.0.113.9',
      client: 'BROWSER',
      keyName: null,
    };
    expect(data?.tokens).toEqual({
      edges: [
        { cursor: newest, node: failed },
        { cursor: oldest, node: issued },
      ],
      nodes: [failed, issued],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: newest, endCursor: oldest },
    });
    expect(text).not.toContain('dG9rZW4=');
  });

  test('are for nobody who is signed out: UNAUTHENTICATED', async () => {
    const { data, errors } = await app.graphql(TOKENS);
    expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'UNAUTHENTICATED']);
  });

  test('are seen by no other account, whatever page it asks for', async () => {
    await record(uno, [0, 3, 6]);
    await record(dos, [1, 4, 7]);
    expect(secondsOf(await pageOf(uno))).toEqual([6, 3, 0]);
    expect(secondsOf(await pageOf(dos))).toEqual([7, 4, 1]);
    expect(secondsOf(await pageOf(tres))).toEqual([]);
    const { endCursor } = (await pageOf(uno, { first: 1 })).pageInfo;
    expect(secondsOf(await pageOf(uno, { first: 100, after: endCursor }))).toEqual([3, 0]);
  });

  test('cost one round trip to the database', async () => {
    await record(uno, range(30));
    const ledger = createTokenLedger(app.prisma);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const { pageInfo } = await ledger.page(uno.id, { first: 20, after: null });
      await ledger.page(uno.id, { first: 20, after: pageInfo.endCursor });
      expect(query).toHaveBeenCalledTimes(2);
    } finally {
      query.mockRestore();
    }
  });
});

describe('pages', () => {
  test('one after the other hold each token once, in order, while new ones come', async () => {
    await record(uno, range(23));
    await record(dos, range(23));
    const seen: number[] = [];
    const infos: Array<[boolean, boolean]> = [];
    let after: string | null = null;
    do {
      const page: TokenPage = await pageOf(uno, { first: 7, after });
      seen.push(...secondsOf(page));
      infos.push([page.pageInfo.hasPreviousPage, page.pageInfo.hasNextPage]);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      await record(uno, range(3, 100 + 3 * infos.length));
    } while (after !== null);
    expect(seen).toEqual(range(23).reverse());
    expect(infos).toEqual([
      [false, true],
      [true, true],
      [true, true],
      [true, false],
    ]);
  });

  test('in between hold tokens of the very same millisecond once each', async () => {
    await record(uno, [1, 1, 1, 1, 1]);
    const first = await pageOf(uno, { first: 2 });
    const second = await pageOf(uno, { first: 100, after: first.pageInfo.endCursor });
    const ids = [...first.edges, ...second.edges].map(({ node }) => node.id);
    expect(new Set(ids).size).toBe(5);
    expect(ids).toHaveLength(5);
  });

  test.each([
    [{}, 20],
    [{ first: null, after: null }, 20],
    [{ first: 1 }, 1],
    [{ first: 100 }, 100],
  ])('of %j have %i', async (variables, length) => {
    await record(uno, range(101));
    const { edges, pageInfo } = await pageOf(uno, variables);
    expect(edges).toHaveLength(length);
    expect(pageInfo.hasNextPage).toBe(true);
  });

  test('go on after a token whose record was deleted meanwhile', async () => {
    await record(uno, range(4));
    const { edges, pageInfo } = await pageOf(uno, { first: 2 });
    await app.prisma.tokenRecord.delete({ where: { id: edges.at(-1)?.node.id ?? '' } });
    expect(secondsOf(await pageOf(uno, { after: pageInfo.endCursor }))).toEqual([1, 0]);
  });

  test.each([0, -1, 101])('of %i are refused: BAD_USER_INPUT', async (first) => {
    await expectBadInput(uno, { first }, 'first must be from 1 to 100');
  });
});

describe('a filter', () => {
  const iso = (second: number) => at(second).toISOString();
  const issued = { outcome: { token: 'dG9rZW4=', expiry: at(1_201) } };

  beforeEach(async () => {
    await record(uno, [0, 2, 4, 6]);
    await record(uno, [1, 3, 5], issued);
    await record(dos, [3]);
  });

  test.each([
    ['from, which counts itself', { from: iso(5) }, [6, 5]],
    ['to, which does not', { to: iso(2) }, [1, 0]],
    ['both', { from: iso(2), to: iso(4) }, [3, 2]],
    ['both the same', { from: iso(2), to: iso(2) }, []],
    ['another zone of time', { from: '2026-11-20T19:30:05+01:00' }, [6, 5]],
    ['outcome', { outcome: 'ISSUED' }, [5, 3, 1]],
    ['another outcome', { outcome: 'PROVIDER_BAD_ANSWER' }, []],
    ['all of it', { from: iso(1), to: iso(5), outcome: 'PROVIDER_UNAVAILABLE' }, [4, 2]],
    ['nulls', { from: null, to: null, outcome: null }, [6, 5, 4, 3, 2, 1, 0]],
    ['nothing', {}, [6, 5, 4, 3, 2, 1, 0]],
    ['null', null, [6, 5, 4, 3, 2, 1, 0]],
    ['all times', { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }, [6, 5, 4, 3, 2, 1, 0]],
  ])('by %s', async (_what, filter, seconds) => {
    const page = await pageOf(uno, { filter });
    expect(secondsOf(page)).toEqual(seconds);
    expect(page.nodes).toEqual(page.edges.map(({ node }) => node));
    expect(page.pageInfo.hasNextPage).toBe(false);
  });

  test('holds for each page, and the cursors hold with another filter, or none', async () => {
    const filter = { from: iso(1), outcome: 'ISSUED' };
    const first = await pageOf(uno, { first: 2, filter });
    expect([secondsOf(first), first.pageInfo.hasNextPage]).toEqual([[5, 3], true]);
    const after = first.pageInfo.endCursor;
    const last = await pageOf(uno, { first: 2, filter, after });
    expect([secondsOf(last), last.pageInfo.hasNextPage]).toEqual([[1], false]);
    expect(secondsOf(await pageOf(uno, { after, filter: { outcome: 'PROVIDER_UNAVAILABLE' } }))).toEqual([
      2, 0,
    ]);
    expect(secondsOf(await pageOf(uno, { after, filter: { from: iso(5) } }))).toEqual([]);
    expect(secondsOf(await pageOf(uno, { after }))).toEqual([2, 1, 0]);
  });

  test('that ends before it begins is refused: BAD_USER_INPUT', async () => {
    const filter = { from: iso(2), to: new Date(+at(2) - 1).toISOString() };
    await expectBadInput(uno, { filter }, 'filter.from must not be after filter.to');
  });

  test.each([
    { from: 'ayer' },
    { from: '2026-11-20' },
    { to: '2026-02-30T00:00:00Z' },
    { outcome: 'issued' },
    { since: '2026-11-20T00:00:00Z' },
  ])('of %j is refused: BAD_USER_INPUT', async (filter) => {
    const { data, errors } = await ask(uno, { filter });
    expect([data ?? null, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      null,
      ['BAD_USER_INPUT'],
    ]);
  });
});

describe('a cursor', () => {
  test('of another account is refused: BAD_USER_INPUT, and tells nothing of it', async () => {
    await record(uno, [0, 1]);
    await record(dos, [0, 1]);
    const { startCursor } = (await pageOf(dos)).pageInfo;
    for (const partner of [uno, tres]) await expectBadInput(partner, { after: startCursor }, NO_CURSOR);
    expect(secondsOf(await pageOf(dos, { after: startCursor }))).toEqual([0]);
  });

  test.each<[string, (cursor: string) => string]>([
    ['nothing', () => ''],
    ['a number', () => '20'],
    ["a record's id", () => '01a1fb60-e0d4-7dfb-99c4-018ab37ffbab'],
    ['one with something behind it', (cursor) => `${cursor}A`],
    ['one padded', (cursor) => `${cursor}=`],
    ['one with a changed place', (cursor) => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1)],
    ['one with a changed mark', (cursor) => cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')],
    ['SQL', () => "' OR 1=1 --"],
    ['a long text', () => 'A'.repeat(10_000)],
  ])('that is %s is refused: BAD_USER_INPUT', async (_what, changed) => {
    await record(uno, [0, 1]);
    const { startCursor } = (await pageOf(uno)).pageInfo;
    await expectBadInput(uno, { after: changed(startCursor ?? '') }, NO_CURSOR);
  });
});
