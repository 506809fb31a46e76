import { beforeEach, expect, test } from 'vitest';
import { done, provideAccountsDatabase, refused } from '../runAccount.ts';

const TEXT = 'El partido empieza a las 21:30';
const LONGEST = '🎙'.repeat(160);

const database = provideAccountsDatabase();
const { run } = database;
beforeEach(() => database.prisma.notice.deleteMany());

test('a notice is set, replaced, shown and cleared', async () => {
  await run(['notice', 'set', LONGEST]);
  const { since } = await database.prisma.notice.findFirstOrThrow();
  await run(['notice', 'set', TEXT]);
  const shown = await database.prisma.notice.findFirstOrThrow();
  expect(shown.since.getTime()).toBeGreaterThan(since.getTime());
  expect(await run(['notice', 'show'])).toEqual(done(`${shown.since.toISOString()}  ${TEXT}`));
  await run(['notice', 'clear']);
  expect(await run(['notice', 'show'])).toEqual(done('There is no notice'));
  expect(await run(['notice', 'clear'])).toEqual(done('There was no notice'));
  const audited = await database.prisma.auditLine.findMany({ orderBy: { at: 'asc' } });
  expect(audited.map(({ command, details }) => [command, details])).toEqual([
    ['notice set', LONGEST],
    ['notice set', TEXT],
    ['notice clear', null],
  ]);
});

test('a notice that ends is shown with its end, and no longer after it', async () => {
  const set = await run(['notice', 'set', TEXT, '--until', '2099-12-31']);
  expect(set).toEqual(done('Partners see the notice within a minute, until 2099-12-31T23:59:59Z'));
  const { since } = await database.prisma.notice.findFirstOrThrow();
  const shown = `${since.toISOString()}  ${TEXT}  (until 2099-12-31T23:59:59Z)`;
  expect(await run(['notice', 'show'])).toEqual(done(shown));
  const { details } = await database.prisma.auditLine.findFirstOrThrow();
  expect(details).toBe(`${TEXT} (until 2099-12-31T23:59:59Z)`);
  await database.prisma.$executeRaw`UPDATE notices SET until = now() - interval '1 second'`;
  expect(await run(['notice', 'show'])).toEqual(done('There is no notice'));
  expect(await run(['notice', 'clear'])).toEqual(done('There was no notice'));
});

test('a notice without an end replaces one that ends', async () => {
  await run(['notice', 'set', TEXT, '--until', '2099-12-31T21:00+02:00']);
  await run(['notice', 'set', TEXT]);
  expect(await database.prisma.notice.findFirst()).toMatchObject({ until: null });
});

test('a notice cannot end in the past', async () => {
  const set = await run(['notice', 'set', TEXT, '--until', '2020-01-01']);
  expect(set).toEqual(refused('It must be in the future.', 2));
  expect(await database.prisma.notice.count()).toBe(0);
});

test.each([
  ['161 characters', ['x'.repeat(161)], '161'],
  ['161 characters after a dash', [`-${'x'.repeat(160)}`], '161'],
  ['two lines', ['a\nb'], 'control characters'],
  ['blanks', ['  '], 'write the notice'],
  ['nothing', [], 'write the notice'],
  ['a mistyped option', ['--untill'], 'an option'],
  ['the word help', ['help'], 'an option'],
  ['several arguments', TEXT.split(' '), 'quotation marks'],
])('a notice of %s is refused', async (_what, words, message) => {
  expect(await run(['notice', 'set', ...words])).toEqual(refused(message, 2));
  expect(await database.prisma.notice.count()).toBe(0);
});
