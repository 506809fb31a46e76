import { verify } from '@node-rs/argon2';
import pg from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { ACCOUNT, LOGIN, provideTestApp } from '../../support/testApp.ts';

vi.mock('@node-rs/argon2', { spy: true });

const DISABLED = { ...ACCOUNT, username: 'radio@off.example', password: 'secreto-2', disabled: true };

const FAILURES: Array<[string, string, string]> = [
  ['a wrong password', ACCOUNT.username, 'secreto-9'],
  ['an unknown username', 'radio@nil.example', ACCOUNT.password],
  ['a disabled account, with its password', DISABLED.username, DISABLED.password],
  ['a disabled account, with a wrong password', DISABLED.username, 'secreto-9'],
];

/** The headers that differ from one answer to the next by nature. */
const OF_THE_MOMENT = ['date', 'x-request-id', 'retry-after'];

const app = provideTestApp({ trustProxy: 1 });

beforeAll(async () => {
  await app.addAccount(ACCOUNT);
  await app.addAccount(DISABLED);
  vi.spyOn(pg.Client.prototype, 'query');
  // The first of all makes the hash that unknown usernames are checked against.
  await fail('radio@nil.example', 'secreto-1', '203.0.113.1');
});

async function fail(username: string, password: string, from: string) {
  vi.mocked(verify).mockClear();
  vi.mocked(pg.Client.prototype.query).mockClear();
  const { status, headers, text } = await app.graphql(LOGIN, {
    variables: { username, password },
    headers: { 'x-forwarded-for': from },
  });
  const queries: unknown[] = vi.mocked(pg.Client.prototype.query).mock.calls.map(([query]) => query);
  return {
    status,
    headers: [...headers].filter(([name]) => !OF_THE_MOMENT.includes(name)),
    // The time to wait differs by what has passed since the first attempt.
    text: text.replace(/\d+/g, 'n'),
    statements: queries.map((query) => (typeof query === 'string' ? query : (query as pg.QueryConfig).text)),
    hashes: vi.mocked(verify).mock.calls.length,
  };
}

test.each([
  ['at the first attempt', 1],
  ['once attempts are too many', 6],
])('nothing tells whether an account exists %s', async (_when, attempts) => {
  const found = [];
  for (const [kind, [, username, password]] of FAILURES.entries()) {
    const from = `198.51.100.${attempts * 10 + kind}`;
    for (let attempt = 1; attempt < attempts; attempt += 1) await fail(username, password, from);
    found.push(await fail(username, password, from));
  }
  const [first] = found;
  const code = attempts > 5 ? 'RATE_LIMITED' : 'INVALID_CREDENTIALS';
  expect(first?.text).toContain(code);
  expect(first?.hashes).toBe(attempts > 5 ? 0 : 1);
  expect(first?.statements[0]).toMatch(/FROM "public"."accounts"/);
  for (const other of found) expect(other).toEqual(first);
});
