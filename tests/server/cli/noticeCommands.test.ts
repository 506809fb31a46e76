import { beforeEach, expect, test } from 'vitest';
import { done, provideAccountsDatabase } from './accountProgram.ts';

const TEXT = 'El partido empieza a las 21:30';
const LONGEST = '🎙'.repeat(160);

const database = provideAccountsDatabase();
const { run } = database;
beforeEach(() => database.prisma.notice.deleteMany());

const auditLines = async () =>
  (await database.prisma.auditLine.findMany({ orderBy: { at: 'asc' } })).map(({ command, details }) => [
    command,
    details,
  ]);

test('a notice is set, replaced, shown and cleared', async () => {
  expect(await run(['notice', 'set', LONGEST])).toEqual(done('Partners see the notice within a minute'));
  const { since } = await database.prisma.notice.findFirstOrThrow();
  await run(['notice', 'set', TEXT]);
  const shown = await database.prisma.notice.findFirstOrThrow();
  expect(shown.since.getTime()).toBeGreaterThan(since.getTime());
  expect(await run(['notice', 'show'])).toEqual(done(`${shown.since.toISOString()}  ${TEXT}`));
  expect(await run(['notice', 'clear'])).toEqual(done('The notice is gone within a minute'));
  expect(await run(['notice', 'show'])).toEqual(done('There is no notice'));
  expect(await run(['notice', 'clear'])).toEqual(done('There was no notice'));
  expect(await auditLines()).toEqual([
    ['notice set', LONGEST],
    ['notice set', TEXT],
    ['notice clear', null],
  ]);
});

test.each([
  ['161 characters', ['x'.repeat(161)], 'the notice has 161 characters, and 160 is the most'],
  [
    '161 characters after a dash',
    [`-${'x'.repeat(160)}`],
    'the notice has 161 characters, and 160 is the most',
  ],
  ['control characters', ['a\u0007b'], 'the notice contains control characters'],
  ['two lines', ['a\nb'], 'the notice contains control characters'],
  ['blanks', ['  '], 'write the notice after set, in quotation marks'],
  ['nothing', [], 'write the notice after set, in quotation marks'],
  ['several arguments', TEXT.split(' '), 'put the notice in quotation marks, as one argument'],
])('a notice of %s is refused', async (_what, words, message) => {
  const remarks = `error: ${message}\n`;
  expect(await run(['notice', 'set', ...words])).toEqual({ exitCode: 2, output: '', remarks });
  expect(await database.prisma.notice.count()).toBe(0);
});
