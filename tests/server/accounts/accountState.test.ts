import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { accountState, countEndingAccounts, openAccounts } from '../../../server/accounts/accountState.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { ACCOUNT, provideTestApp, SESSION } from '../../support/testApp.ts';

const LONG_AGO = new Date('2020-01-01');

let now = new Date();
const app = provideTestApp({ clock: () => now });
beforeEach(async () => {
  now = new Date();
  await app.prisma.account.deleteMany();
  app.logLines.length = 0;
});

const setEnd = (validUntil: Date | null) => app.prisma.account.updateMany({ data: { validUntil } });

test.each([
  [false, null, 'OPEN'],
  [false, 1, 'OPEN'],
  [false, 0, 'ENDED'],
  [true, null, 'DISABLED'],
  [true, 0, 'DISABLED'],
])('an account with disabled %s and an end in %s ms is %s', async (disabled, endsInMs, state) => {
  const validUntil = endsInMs === null ? null : new Date(now.getTime() + endsInMs);
  expect(accountState({ disabled, validUntil }, now)).toBe(state);
  const data = { username: 'radio', company: 'Radio', passwordHash: '', disabled, validUntil };
  await app.prisma.account.create({ data });
  expect(await app.prisma.account.count({ where: openAccounts(now) })).toBe(state === 'OPEN' ? 1 : 0);
});

const ALL_OPEN = [true, true, true, 302, undefined];
const ALL_CLOSED = [false, false, false, 403, 'INVALID_CREDENTIALS'];

/** Returns what a session and its cookie, a key, a player's address and a sign-in are answered. */
async function doors({ jwt, cookie }: { jwt: string; cookie: string }) {
  const [tool, player] = [
    await app.addKey({ name: randomUUID() }),
    await app.addKey({ name: randomUUID(), kind: 'PLAYER' }),
  ];
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const [session, browser, key, live, login] = [
    await app.graphql(SESSION, bearer(jwt)),
    await app.graphql(SESSION, { headers: { cookie } }),
    await app.graphql(SESSION, bearer(tool)),
    await fetch(`${app.url}/live/${player}`, { redirect: 'manual' }),
    await app.login(),
  ];
  const opens = (answer: typeof session) => answer.data?.session !== null;
  return [opens(session), opens(browser), opens(key), live.status, login.errors?.[0]?.extensions.code];
}

test('an account that has ended is refused like a disabled one until it is extended', async () => {
  const { id } = await app.addAccount(ACCOUNT);
  const signedIn = await app.signIn();
  await setEnd(LONG_AGO);
  expect(await doors(signedIn)).toEqual(ALL_CLOSED);
  const said = app.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /has ended/.test(msg));
  expect(said).toHaveLength(5);
  expect(said[0]).toMatchObject({ level: 'info', account: id });
  await setEnd(null);
  expect(await doors(signedIn)).toEqual(ALL_OPEN);
});

test.each([
  ['ahead', -2, -1, ALL_OPEN],
  ['behind', 2, 1, ALL_CLOSED],
])(
  'an account ends by the clock of the server when that of the database is %s',
  async (_which, hours, endsIn, answers) => {
    const start = Date.now();
    now = new Date(start + hours * HOUR_MS);
    await app.addAccount(ACCOUNT);
    const signedIn = await app.signIn();
    await setEnd(new Date(start + endsIn * HOUR_MS));
    expect(await doors(signedIn)).toEqual(answers);
  },
);

test('the last sign-in of an account is recorded', async () => {
  await app.addAccount(ACCOUNT);
  await app.login(undefined, 'equivocada');
  expect((await app.prisma.account.findFirstOrThrow()).lastSignInAt).toBeNull();
  await app.signIn();
  const { lastSignInAt } = await app.prisma.account.findFirstOrThrow();
  expect(lastSignInAt?.getTime()).toBe(Math.floor(now.getTime() / 1_000) * 1_000);
});

test('accounts that end within 30 days are counted', async () => {
  await app.prisma.account.createMany({
    data: [0, 1, 30, 31].flatMap((days) =>
      [true, false].map((disabled) => ({
        username: `radio ${days} ${disabled}`,
        company: 'Radio',
        passwordHash: '',
        disabled,
        validUntil: new Date(now.getTime() + days * DAY_MS),
      })),
    ),
  });
  expect(await countEndingAccounts(app.prisma, now)).toBe(2);
});
