import { expect, test } from 'vitest';
import { explainCommandError } from '../../../server/cli/explainCommandError.ts';

test('a command names the file that it may not read', () => {
  const file = '/opt/audio/prisma/migrations';
  const error = Object.assign(new Error(), { code: 'EACCES', syscall: 'scandir', path: file });
  expect(explainCommandError(error)).toBe(
    `EACCES at ${file}. The user of this process needs the right to read it.`,
  );
});
