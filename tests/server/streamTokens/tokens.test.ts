import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TokenPage } from '../../../server/streamTokens/ledgerPages.ts';
import { createTokenLedger, type TokenAttempt } from '../../../server/streamTokens/tokenLedger.ts';
import { ACCOUNT, startTestApp, type TestApp } from '../../support/testApp.ts';

const TOKENS = `query Tokens($first: Int, $after: String) {
  tokens(first: $first, after: $after) {
    edges { cursor node { id createdAt expiry outcome address client keyName } }
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

async function expectBadInput(partner: Partner, variables: Record<string, unknown>, message: string) {
  const { data, errors } = await ask(partner, variables);
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
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
