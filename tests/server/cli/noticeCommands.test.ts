import { beforeEach, expect, test } from 'vitest';
import { done, IN_DATABASE, provideAccountsDatabase } from './accountProgram.ts';

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
  ['161 characters', 'x'.repeat(161), 'It has 161 characters, and 160 is the most.'],
  ['control characters', 'a\u0007b', 'It contains control characters.'],
  ['two lines', 'a\nb', 'It contains control characters.'],
  ['blanks', '  ', 'It is blank.'],
])('a notice of %s is refused', async (_what, text, message) => {
  const { exitCode, output, remarks } = await run(['notice', 'set', text]);
  expect([exitCode, output]).toEqual([2, '']);
  expect(remarks).toContain(message);
  expect(remarks.trimEnd()).not.toContain('\n');
  expect(remarks).not.toContain(IN_DATABASE);
  expect(await database.prisma.notice.count()).toBe(0);
});
