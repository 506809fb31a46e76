import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodedError } from '../../../server/errors.ts';
import { createTokenLedger, type TokenAttempt } from '../../../server/streamTokens/tokenLedger.ts';
import { ACCOUNT, CREATE_TOKEN, startTestApp, type TestApp } from '../../support/testApp.ts';
import { answer, answerWith, mediaProvider, providerAt } from './mediaProvider.ts';

const TOKEN = 'dG9rZW4=';
const TOKEN_LIFETIME_MS = 1_200_000;
const NOW = new Date('2026-11-20T18:30:00.123Z');
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const FAILURES = ['PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER'] as const;

const fetchToken = vi.fn<() => Promise<string>>();
let app: TestApp;
let accountId: string;
let headers: { authorization: string };
let cookie: string;

beforeAll(async () => {
  app = await startTestApp({
    trustProxy: 1,
    clock: () => NOW,
    provider: { fetchToken, close: async () => {} },
  });
  accountId = (await app.addAccount(ACCOUNT)).id;
  const session = await app.signIn();
  headers = { authorization: `Bearer ${session.jwt}` };
  cookie = session.cookie;
});
afterAll(() => app.close());
beforeEach(async () => {
  fetchToken.mockReset().mockResolvedValue(TOKEN);
  await app.prisma.tokenRecord.deleteMany();
});

const failWith = (code: (typeof FAILURES)[number]) =>
  fetchToken.mockRejectedValue(new CodedError(code, 'The provider failed'));
const records = () => app.prisma.tokenRecord.findMany({ orderBy: { id: 'asc' } });
const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

/** Works while another connection holds the table, so that no statement of the app can touch it. */
async function withLockedLedger(work: (holder: pg.Client) => Promise<void>) {
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  await holder.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE token_records');
    await work(holder);
  } finally {
    await holder.end();
  }
}

async function withoutLedger(work: () => Promise<void>) {
  await app.prisma.$executeRaw`ALTER TABLE token_records RENAME TO elsewhere`;
  try {
    await work();
  } finally {
    await app.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO token_records`;
  }
}

describe('a token issued', () => {
  test('is a record of who asked, when, from where, and its hash', async () => {
    const { data } = await app.graphql(CREATE_TOKEN, { headers });
    const [record, ...others] = await records();
    expect(others).toEqual([]);
    expect(record).toEqual({
      id: expect.stringMatching(UUID_V7),
      accountId,
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + TOKEN_LIFETIME_MS),
      tokenHash: sha256(TOKEN),
      outcome: 'ISSUED',
      address: '127.0.0.1',
      client: 'TOOL',
      keyName: null,
    });
    expect(data?.createToken).toMatchObject({ expiry: record?.expiresAt?.toISOString() });
    expect(Number.parseInt(record?.id.replace('-', '').slice(0, 12) ?? '', 16)).toBe(NOW.getTime());
  });

  test.each([
    ['a browser, known by its cookie', () => ({ cookie }), 'BROWSER'],
    [
      'a tool, known by Authorization, also where a cookie comes along',
      () => ({ ...headers, cookie }),
      'TOOL',
    ],
  ])('to %s', async (_who, sent, client) => {
    await app.graphql(CREATE_TOKEN, { headers: sent() });
    expect(await records()).toMatchObject([{ client }]);
  });

  test.each([
    ['10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ["unknown'; DROP TABLE token_records", null],
  ])('from %j as a trusted proxy says: %j', async (forwarded, address) => {
    await app.graphql(CREATE_TOKEN, { headers: { ...headers, 'x-forwarded-for': forwarded } });
    expect(await records()).toMatchObject([{ address }]);
  });

  test('is on record before anybody has it', async () => {
    await withLockedLedger(async (holder) => {
      let isAnswered = false;
      const answer = app.graphql(CREATE_TOKEN, { headers }).finally(() => {
        isAnswered = true;
      });
      const waiting = () =>
        holder.query(
          'SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted AND datname = current_database()',
        );
      await expect.poll(async () => (await waiting()).rowCount).toBe(1);
      expect(isAnswered).toBe(false);
      await holder.query('COMMIT');
      expect((await answer).errors).toBeUndefined();
    });
    expect(await records()).toHaveLength(1);
  });

  test('stays on record when its account is gone', async () => {
    const other = { ...ACCOUNT, username: 'radio@efimera.example' };
    const { id } = await app.addAccount(other);
    const { jwt } = await app.signIn(other.username);
    await app.graphql(CREATE_TOKEN, { headers: { authorization: `Bearer ${jwt}` } });
    await app.prisma.account.delete({ where: { id } });
    expect(await records()).toMatchObject([{ accountId: id, outcome: 'ISSUED' }]);
  });
});

describe('a token not issued', () => {
  test.each(FAILURES)('because of %s is a record of that, without expiry and hash', async (code) => {
    failWith(code);
    await app.graphql(CREATE_TOKEN, { headers });
    expect(await records()).toMatchObject([{ accountId, outcome: code, expiresAt: null, tokenHash: null }]);
  });

  test('because nobody is signed in, or of what nobody foresaw, is in the log alone', async () => {
    fetchToken.mockRejectedValue(new TypeError('boom'));
    await app.graphql(CREATE_TOKEN);
    await app.graphql(CREATE_TOKEN, { headers });
    expect(await records()).toEqual([]);
  });
});

describe('a request that never reached the provider', () => {
  const unavailable = [
    { message: 'The media provider is not available', extensions: { code: 'PROVIDER_UNAVAILABLE' } },
  ];

  test('because the breaker is open has no record; those that opened it have one', async () => {
    const { port, seen } = await mediaProvider(answerWith('', {}, 503));
    const provider = providerAt(port);
    fetchToken.mockImplementation(() => provider.fetchToken());
    for (let call = 0; call < 5 + 3; call += 1) {
      expect((await app.graphql(CREATE_TOKEN, { headers })).errors).toMatchObject(unavailable);
    }
    expect(seen.requests).toBe(5);
    expect(await records()).toMatchObject(Array(5).fill({ outcome: 'PROVIDER_UNAVAILABLE' }));
  });

  test('because too many are under way has no record', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { port } = await mediaProvider(async (request, response) => {
      await released;
      answer(request, response);
    });
    const provider = providerAt(port);
    const underWay = Array.from({ length: 256 }, () => provider.fetchToken());
    fetchToken.mockImplementation(() => provider.fetchToken());
    expect((await app.graphql(CREATE_TOKEN, { headers })).errors).toMatchObject(unavailable);
    expect(await records()).toEqual([]);
    release();
    await Promise.all(underWay);
  });
});

describe('what cannot be recorded', () => {
  test('is an error and not a silent loss, and no token is handed out', async () => {
    await withoutLedger(async () => {
      const { data, errors, text } = await app.graphql(CREATE_TOKEN, { headers });
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
      expect(text).not.toMatch(/dG9rZW4|token_records/);
    });
    expect(app.logLines.join('')).not.toContain(TOKEN);
    expect(app.logLines.join('')).toContain('P2021');
  });

  test('in time is DATABASE_UNAVAILABLE too', async () => {
    const { databaseUrl, jwtSecret } = app;
    const impatient = await startTestApp({
      databaseUrl,
      jwtSecret,
      clock: () => NOW,
      timeLimits: 'production',
    });
    await withLockedLedger(async () => {
      const { data, errors } = await impatient.graphql(CREATE_TOKEN, { headers });
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
    });
    await impatient.close();
    expect(await records()).toEqual([]);
  });
});

describe('attempts of the same moment', () => {
  const attempts: TokenAttempt[] = [
    {
      accountId: 'una',
      address: null,
      client: 'TOOL',
      keyName: 'Emisora',
      createdAt: NOW,
      outcome: { token: TOKEN, expiry: NOW },
    },
    {
      accountId: 'dos',
      address: '203.0.113.9',
      client: 'BROWSER',
      keyName: null,
      createdAt: NOW,
      outcome: 'PROVIDER_UNAVAILABLE',
    },
  ];

  test('share one statement, each a record of its own', async () => {
    const ledger = createTokenLedger(app.prisma);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await Promise.all(attempts.map((attempt) => ledger.record(attempt)));
      expect(query).toHaveBeenCalledTimes(1);
    } finally {
      query.mockRestore();
    }
    const written = await app.prisma.tokenRecord.findMany({ orderBy: { accountId: 'desc' } });
    expect(written).toMatchObject([
      { ...attempts[0], outcome: 'ISSUED', expiresAt: NOW, tokenHash: sha256(TOKEN) },
      { ...attempts[1], expiresAt: null, tokenHash: null },
    ]);
  });

  test('fail together, each by the same code', async () => {
    const ledger = createTokenLedger(app.prisma);
    await withoutLedger(async () => {
      const outcomes = await Promise.allSettled(attempts.map((attempt) => ledger.record(attempt)));
      expect(outcomes).toMatchObject(
        Array(2).fill({ status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE' } }),
      );
    });
  });
});
