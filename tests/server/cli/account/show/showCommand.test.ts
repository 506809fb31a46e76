import { beforeEach, expect, test } from 'vitest';
import { newRecordId } from '../../../../../server/database/recordId.ts';
import type { Prisma } from '../../../../../server/generated/prisma/client.ts';
import { keyHashOf } from '../../../../../server/keys/key.ts';
import {
  type Counters,
  countersOfBrowser,
  countersOfNetwork,
  createAttemptCounts,
} from '../../../../../server/signIn/attemptCounts.ts';
import { jwtSecrets } from '../../../../../server/signIn/signedJwt.ts';
import { createTokenLedger } from '../../../../../server/streamTokens/tokenLedger.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../shared/durations.ts';
import { provideAccountsDatabase, refused } from '../../runAccount.ts';

const USERNAME = 'radio@uno.example';
const SECRET = 'a secret of at least 32 bytes, for tests';
const NOW = new Date('2026-11-27T20:57:00Z');
const ADDRESS = '203.0.113.7';

const database = provideAccountsDatabase();

const before = (ms: number) => new Date(NOW.getTime() - ms);
const show = (...options: string[]) =>
  database.run(['show', '--username', USERNAME, ...options], { clock: () => NOW, jwtSecret: SECRET });
const screen = async (...options: string[]) => (await show(...options)).output;
const report = async (...options: string[]) => JSON.parse(await screen('--json', ...options));

let accountId: string;
beforeEach(async () => {
  await database.prisma.attemptCount.deleteMany();
  const times = { createdAt: before(20 * DAY_MS), lastSignInAt: before(2 * HOUR_MS) };
  ({ id: accountId } = await database.addAccount({ username: USERNAME, ...times }));
});

function addSession(fields: Partial<Prisma.SessionUncheckedCreateInput>) {
  const createdAt = before(2 * HOUR_MS);
  const expiresAt = new Date(createdAt.getTime() + 30 * DAY_MS);
  const data = { id: newRecordId(createdAt), accountId, createdAt, lastUsedAt: createdAt, expiresAt };
  return database.prisma.session.create({ data: { ...data, ...fields } });
}

async function fail(counters: Counters, times: number): Promise<void> {
  const attempts = createAttemptCounts(database.prisma, jwtSecrets(SECRET).current);
  for (let count = 0; count < times; count += 1) await (await attempts.begin(counters)).end('failed');
}

function record(outcome: 'PROVIDER_UNAVAILABLE' | 'PROVIDER_BAD_ANSWER' | 'ISSUED', minutesAgo: number) {
  const createdAt = before(minutesAgo * MINUTE_MS);
  const issued = { token: 'dG9rZW4=', expiry: new Date(createdAt.getTime() + 20 * MINUTE_MS) };
  return createTokenLedger(database.prisma).record({
    callerId: newRecordId(NOW),
    accountId,
    keyName: null,
    address: ADDRESS,
    client: 'BROWSER',
    createdAt,
    outcome: outcome === 'ISSUED' ? issued : outcome,
  });
}

test('show fits a full account on one screen of 80 columns', async () => {
  const long = { company: 'Compañía '.repeat(20), validUntil: new Date('2027-06-30T00:00:00Z') };
  await database.prisma.account.updateMany({ data: long });
  for (let count = 0; count < 50; count += 1)
    await addSession({ id: newRecordId(before(count)), cookieSent: true });
  for (let count = 0; count < 9; count += 1) {
    await record(count < 4 ? 'PROVIDER_UNAVAILABLE' : 'PROVIDER_BAD_ANSWER', count);
    const name = `${count} ${'Emisora de Valparaíso '.repeat(3)}`.trim().slice(0, 64);
    const key = { name, kind: 'PLAYER', keyHash: keyHashOf(name), expiresAt: before(-DAY_MS) } as const;
    await database.prisma.accountKey.create({ data: { accountId, ...key } });
  }
  await fail(countersOfNetwork(USERNAME, 0, '2001:db8:aaaa:bbbb:cccc::1'), 1);
  const lines = (await screen('--from', '2001:db8:aaaa:bbbb:cccc::1')).trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.length).toBeLessThanOrEqual(40);
});

test('show says what an operator reads out to a partner who calls', async () => {
  await addSession({ cookieSent: true, lastUsedAt: before(30 * MINUTE_MS) });
  await addSession({
    id: newRecordId(before(HOUR_MS)),
    createdAt: before(HOUR_MS),
    lastUsedAt: before(HOUR_MS),
  });
  const key = {
    name: 'codec',
    kind: 'PLAYER',
    keyHash: keyHashOf('codec'),
    expiresAt: before(-DAY_MS),
  } as const;
  await database.prisma.accountKey.create({ data: { accountId, ...key, networks: ['203.0.113.0/24'] } });
  await record('ISSUED', 25);
  await record('PROVIDER_BAD_ANSWER', 12);
  await record('PROVIDER_UNAVAILABLE', 11);
  await record('ISSUED', 10);
  expect(await screen()).toBe(`radio@uno.example  (Radio Uno)
OPEN, without an end
now           2026-11-27 20:57 (in UTC, as all times here)
last sign-in  2026-11-27 18:57, 2 h ago
last token    2026-11-27 20:47, 10 min ago
added         2026-11-07 20:57, id ${accountId}

SESSIONS: 2
SIGNED IN         BY                      LAST USE          ENDS
2026-11-27 18:57  browser (cookie)        2026-11-27 20:27  2026-12-11 21:27
2026-11-27 19:57  tool, or page not used  not noted         2026-11-28 07:57

KEYS: 1
NAME   KIND    LAST USE  ENDS              FROM
codec  player  never     2026-11-28 20:57  1 network

FAILED SIGN-INS
COUNTED                                FAILED   RESULT
browsers in which it signed in before  0 of 20  free
Not known: single browsers (5 each), and networks other than that of --from.
unlock frees the account in all of them; "any username" ends by itself.

TOKENS
TIME              TOKEN                            BY       ADDRESS
2026-11-27 20:47  given, opens until 21:07         browser  203.0.113.7
2026-11-27 20:46  NONE: provider down or refusing  browser  203.0.113.7
2026-11-27 20:45  NONE: no link on provider page   browser  203.0.113.7
2026-11-27 20:32  given                            browser  203.0.113.7
`);
});

test('show tells what counts against the account and against the network of --from', async () => {
  const browser = { id: newRecordId(NOW), accountId, credentialsVersion: 0 };
  await fail(countersOfBrowser(browser, 0), 3);
  await fail(countersOfNetwork(USERNAME, 0, ADDRESS), 5);
  await fail(countersOfNetwork('radio@otra.example', 0, ADDRESS), 2);
  const until = { until: expect.stringMatching(/Z$/) };
  expect((await report('--from', `${ADDRESS}:5000`)).failedSignIns).toEqual([
    { of: 'KNOWN_BROWSERS', network: null, failures: 3, limit: 20, ...until },
    { of: 'USERNAME_IN_NETWORK', network: ADDRESS, failures: 5, limit: 5, ...until },
    { of: 'NETWORK', network: ADDRESS, failures: 7, limit: 100, ...until },
  ]);
  const shown = await screen('--from', ADDRESS);
  expect(shown).toMatch(/this username from 203\.0\.113\.7 +5 of 5 +REFUSED until \d\d:\d\d:\d\d\n/);
  expect(shown).toMatch(/any username from 203\.0\.113\.7 +7 of 100 +counted until/);
});

test('show says that a known browser may be refused once five attempts failed', async () => {
  const browser = { id: newRecordId(NOW), accountId, credentialsVersion: 0 };
  await fail(countersOfBrowser(browser, 0), 5);
  expect(await screen()).toMatch(/signed in before +5 of 20 +some REFUSED until \d\d:\d\d:\d\d\n/);
});

test('show counts no failed sign-in of which unlock or time has disposed', async () => {
  await fail(countersOfNetwork(USERNAME, 0, ADDRESS), 5);
  await database.run(['unlock', '--username', USERNAME]);
  await database.prisma.$executeRaw`UPDATE attempts SET expires_at = now() - interval '1 second'`;
  const { failedSignIns } = await report('--from', ADDRESS);
  expect(failedSignIns.map(({ failures }: { failures: number }) => failures)).toEqual([0, 0, 0]);
});

test('show says that failed sign-ins are not known without the secret', async () => {
  const { output } = await database.run(['show', '--username', USERNAME]);
  expect(output).toContain('FAILED SIGN-INS: not known, because JWT_SECRET is not set here');
});

test.each([
  ['disabled', { disabled: true }, 'DISABLED (enable opens it)'],
  ['ended', { validUntil: new Date('2026-11-01T00:00:00Z') }, 'ENDED 2026-10-31T23:59:59Z (extend opens it)'],
  ['limited', { validUntil: new Date('2027-01-01T00:00:00Z') }, 'OPEN until 2026-12-31T23:59:59Z'],
])('show tells a %s account', async (_what, fields, state) => {
  await database.prisma.account.updateMany({ data: fields });
  expect(await screen()).toContain(`\n${state}\n`);
});

test('show leaves out sessions that are over', async () => {
  await addSession({ createdAt: before(13 * HOUR_MS), lastUsedAt: before(13 * HOUR_MS) });
  await addSession({ id: newRecordId(NOW), credentialsVersion: 7 });
  expect(await screen()).toContain('SESSIONS: none');
});

test.each([
  ['203.0.113.0/24', 'one IP address, such as 203.0.113.7, not a network'],
  ['studio', 'It must be an IP address'],
])('show refuses --from %s', async (from, words) => {
  expect(await show('--from', from)).toEqual(refused(words, 2));
});
