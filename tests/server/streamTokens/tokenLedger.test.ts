import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import { createTokenLedger, type TokenAttempt } from '../../../server/streamTokens/tokenLedger.ts';
import { canary, leaksIn } from '../../support/canaries.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp, type TestApp } from '../../support/testApp.ts';

const TOKEN_LIFETIME_MS = 1_200_000;
const NOW = new Date('2026-11-20T18:30:00.123Z');
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const FAILURES = ['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER'] as const;

let app: TestApp;
let accountId: string;
let headers: { authorization: string };
let cookie: string;
let fetchToken: () => Promise<string>;

beforeAll(async () => {
  app = await startTestApp({
    trustProxy: 1,
    clock: () => NOW,
    provider: { fetchToken: () => fetchToken(), close: async () => {} },
  });
  accountId = (await app.addAccount(ACCOUNT)).id;
  const session = await app.signIn();
  headers = { authorization: `Bearer ${session.jwt}` };
  cookie = session.cookie;
});
afterAll(() => app.close());
beforeEach(() => app.prisma.tokenRecord.deleteMany());

const records = () => app.prisma.tokenRecord.findMany({ orderBy: { id: 'asc' } });
const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

/** Works while another connection holds the table, which no statement of ours can then touch. */
async function withLockedLedger(
  work: (locked: { waiting(): Promise<void>; unlock(): Promise<unknown> }) => Promise<void>,
) {
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  await holder.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE token_records');
    await work({
      waiting: () =>
        vi.waitFor(async () => {
          const { rowCount } = await holder.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          );
          expect(rowCount).toBe(1);
        }),
      unlock: () => holder.query('COMMIT'),
    });
  } finally {
    await holder.end();
  }
}

describe('a token issued', () => {
  test('is a record of who asked, when, from where, and its hash', async () => {
    fetchToken = async () => 'dG9rZW4=';
    const { data } = await app.graphql(CREATE_TOKEN, { headers });

    const [record, ...others] = await records();
    expect(others).toEqual([]);
    expect(record).toEqual({
      id: expect.stringMatching(UUID_V7),
      accountId,
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + TOKEN_LIFETIME_MS),
      tokenHash: sha256('dG9rZW4='),
      outcome: 'ISSUED',
      address: '127.0.0.1',
      client: 'TOOL',
    });
    expect(data?.createToken).toMatchObject({ expiry: record?.expiresAt?.toISOString() });
    expect(Number.parseInt(record?.id.replace('-', '').slice(0, 12) ?? '', 16)).toBe(NOW.getTime());
  });

  test('is nowhere in the table as it was handed out', async () => {
    const token = canary();
    fetchToken = async () => token;
    expect((await app.graphql(CREATE_TOKEN, { headers })).data?.createToken).toMatchObject({ token });
    const rows = await app.prisma.$queryRaw<Array<{ row: string }>>`
      SELECT token_records::text || encode(token_hash, 'escape') AS row FROM token_records`;
    expect(rows).toHaveLength(1);
    expect(leaksIn(JSON.stringify(rows), { token })).toEqual([]);
  });

  test.each([
    ['a browser, known by its cookie', () => ({ cookie }), 'BROWSER'],
    ['a tool, known by Authorization', () => headers, 'TOOL'],
    ['a tool, also where a cookie comes along', () => ({ ...headers, cookie }), 'TOOL'],
  ])('to %s', async (_who, sent, client) => {
    fetchToken = async () => 'dG9rZW4=';
    await app.graphql(CREATE_TOKEN, { headers: sent() });
    expect(await records()).toMatchObject([{ client }]);
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ["unknown'; DROP TABLE token_records", null],
  ])('from %j as a trusted proxy says: %j', async (forwarded, address) => {
    fetchToken = async () => 'dG9rZW4=';
    await app.graphql(CREATE_TOKEN, { headers: { ...headers, 'x-forwarded-for': forwarded } });
    expect(await records()).toMatchObject([{ address }]);
  });

  test('is on record before anybody has it', async () => {
    fetchToken = async () => 'dG9rZW4=';
    await withLockedLedger(async ({ waiting, unlock }) => {
      let isAnswered = false;
      const answer = app.graphql(CREATE_TOKEN, { headers }).finally(() => {
        isAnswered = true;
      });
      await waiting();
      expect(isAnswered).toBe(false);
      await unlock();
      expect((await answer).errors).toBeUndefined();
    });
    expect(await records()).toHaveLength(1);
  });

  test('is on record once, however many are asked for at the same time', async () => {
    let count = 0;
    fetchToken = async () => {
      count += 1;
      return `token-${count}`;
    };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => app.graphql(CREATE_TOKEN, { headers })),
    );
    const tokens = answers.map(({ data }) => ({ token: '', ...(data?.createToken ?? {}) }).token);
    const hashes = (await records()).map(({ tokenHash }) => Buffer.from(tokenHash ?? []).toString('hex'));
    expect(new Set(tokens).size).toBe(60);
    expect(hashes.toSorted()).toEqual(
      tokens.map((token) => Buffer.from(sha256(token)).toString('hex')).toSorted(),
    );
  });

  test('shares one statement with the others of the same moment, each a record of its own, failures among them', async () => {
    const ledger = createTokenLedger(app.prisma);
    const attempts = Array.from({ length: 40 }, (_, at): TokenAttempt => {
      const outcome = at % 4 === 0 ? 'PROVIDER_UNAVAILABLE' : { token: `token-${at}`, expiry: NOW };
      const address = at % 3 === 0 ? null : '203.0.113.9';
      return {
        accountId: `account-${at}`,
        address,
        client: at % 2 === 0 ? 'TOOL' : 'BROWSER',
        createdAt: NOW,
        outcome,
      };
    });
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await Promise.all(attempts.map((attempt) => ledger.record(attempt)));
      expect(query).toHaveBeenCalledTimes(1);
    } finally {
      query.mockRestore();
    }
    const written = new Map((await records()).map((record) => [record.accountId, record]));
    expect(written.size).toBe(40);
    for (const { accountId: account, address, client, outcome } of attempts) {
      const isIssued = typeof outcome !== 'string';
      expect(written.get(account)).toMatchObject({
        address,
        client,
        outcome: isIssued ? 'ISSUED' : outcome,
        expiresAt: isIssued ? outcome.expiry : null,
        tokenHash: isIssued ? sha256(outcome.token) : null,
      });
    }
  });

  test('stays on record when its account is gone', async () => {
    const other = { ...ACCOUNT, username: 'radio@efimera.example' };
    const { id } = await app.addAccount(other);
    const { jwt } = await app.signIn(other.username);
    fetchToken = async () => 'dG9rZW4=';
    await app.graphql(CREATE_TOKEN, { headers: { authorization: `Bearer ${jwt}` } });
    await app.prisma.account.delete({ where: { id } });
    expect(await records()).toMatchObject([{ accountId: id, outcome: 'ISSUED' }]);
  });
});

describe('a token not issued', () => {
  test.each(FAILURES)('because of %s is a record of that, without expiry and hash', async (code) => {
    fetchToken = async () => {
      throw new CodedError(code, 'The provider failed');
    };
    const { errors } = await app.graphql(CREATE_TOKEN, { headers: { cookie } });
    expect(errors?.[0]?.extensions.code).toBe(code);
    expect(await records()).toEqual([
      {
        id: expect.stringMatching(UUID_V7),
        accountId,
        createdAt: NOW,
        expiresAt: null,
        tokenHash: null,
        outcome: code,
        address: '127.0.0.1',
        client: 'BROWSER',
      },
    ]);
  });

  test('because nobody is signed in, or of what nobody foresaw, is in the log alone', async () => {
    fetchToken = async () => {
      throw new TypeError('boom');
    };
    await app.graphql(CREATE_TOKEN);
    await app.graphql(CREATE_TOKEN, { headers });
    expect(await records()).toEqual([]);
  });
});

describe('what cannot be recorded', () => {
  test.each([
    ['a token', async () => 'dG9rZW4tc2luLWFzZW50YXI='],
    ...FAILURES.map((code) => [
      code,
      async () => {
        throw new CodedError(code, 'The provider failed');
      },
    ]),
  ] as Array<[string, () => Promise<string>]>)(
    'is an error and not a silent loss, and no token is handed out: %s',
    async (_what, fetch) => {
      fetchToken = fetch;
      await app.prisma.$executeRaw`ALTER TABLE token_records RENAME TO elsewhere`;
      try {
        const { data, errors, text } = await app.graphql(CREATE_TOKEN, { headers });
        expect(data).toBeNull();
        expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
        expect(text).not.toMatch(/dG9rZW4|token_records/);
      } finally {
        await app.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO token_records`;
      }
      expect(app.logLines.join('')).not.toContain('dG9rZW4tc2luLWFzZW50YXI=');
      expect(app.logLines.join('')).toContain('42P01');
    },
  );

  test('fails all that share the statement, each by the same code', async () => {
    const ledger = createTokenLedger(app.prisma);
    await app.prisma.$executeRaw`ALTER TABLE token_records RENAME TO elsewhere`;
    try {
      const attempt = {
        accountId,
        address: null,
        client: 'TOOL',
        createdAt: NOW,
        outcome: 'PROVIDER_UNAVAILABLE',
      } as const;
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => ledger.record(attempt)));
      expect(outcomes).toMatchObject(
        Array(5).fill({ status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE' } }),
      );
    } finally {
      await app.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO token_records`;
    }
  });

  test('in time is DATABASE_UNAVAILABLE too', async () => {
    fetchToken = async () => 'dG9rZW4=';
    await withLockedLedger(async () => {
      const { data, errors } = await app.graphql(CREATE_TOKEN, { headers });
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
    });
    expect(await records()).toEqual([]);
  });
});
