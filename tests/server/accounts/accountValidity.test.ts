import { beforeEach, expect, test } from 'vitest';
import { countEndingAccounts } from '../../../server/accounts/accountValidity.ts';
import { ACCOUNT, provideTestApp, SESSION } from '../../support/testApp.ts';

const DAY_MS = 86_400_000;

let now = new Date();
const app = provideTestApp({ clock: () => now });
beforeEach(async () => {
  await app.prisma.account.deleteMany();
  app.logLines.length = 0;
});

const setEnd = (validUntil: Date | null) => app.prisma.account.updateMany({ data: { validUntil } });

test('an account that has ended is refused like a disabled one until it is extended', async () => {
  const { id } = await app.addAccount(ACCOUNT);
  const { jwt, cookie } = await app.signIn();
  const [tool, player] = [await app.addKey(), await app.addKey({ name: 'Códec', kind: 'PLAYER' })];
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const doors = async () => {
    const [session, browser, key, live, login] = [
      await app.graphql(SESSION, bearer(jwt)),
      await app.graphql(SESSION, { headers: { cookie } }),
      await app.graphql(SESSION, bearer(tool)),
      await fetch(`${app.url}/live/${player}`, { redirect: 'manual' }),
      await app.login(),
    ];
    const isOpen = (answer: typeof session) => answer.data?.session !== null;
    return [isOpen(session), isOpen(browser), isOpen(key), live.status, login.errors?.[0]?.extensions.code];
  };

  const end = new Date(now.getTime() + 60_000);
  await setEnd(end);
  expect(await doors()).toEqual([true, true, true, 302, undefined]);
  now = end;
  expect(await doors()).toEqual([false, false, false, 403, 'INVALID_CREDENTIALS']);
  const said = app.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /has ended/.test(msg));
  expect(said).toHaveLength(5);
  expect(said[0]).toMatchObject({ level: 'info', account: id });
  await setEnd(null);
  expect(await doors()).toEqual([true, true, true, 302, undefined]);
});

test('the last sign-in of an account is noted', async () => {
  await app.addAccount(ACCOUNT);
  await app.login(undefined, 'equivocada');
  expect((await app.prisma.account.findFirstOrThrow()).lastSignInAt).toBeNull();
  await app.signIn();
  const { lastSignInAt } = await app.prisma.account.findFirstOrThrow();
  expect(lastSignInAt?.getTime()).toBe(Math.floor(now.getTime() / 1_000) * 1_000);
});

test('accounts that end within 30 days are counted', async () => {
  now = new Date();
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
