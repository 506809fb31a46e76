import path from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder } from '../../server/config/folders.ts';
import { explainCommandError, explainStartError } from '../../server/explainError.ts';

test.each([
  [path.join(dataFolder(), 'postgres'), 'Check DATA_DIR and its rights.'],
  [`${dataFolder()}2/postgres`, 'The user of this process needs the right to read it.'],
  ['/opt/audio/schema.graphql', 'The user of this process needs the right to read it.'],
])('a file at %s that is refused gets the advice "%s"', (refused, advice) => {
  const error = Object.assign(new Error(), { code: 'EACCES', syscall: 'open', path: refused });
  expect(explainStartError(error)).toBe(`The server cannot start: EACCES at ${refused}. ${advice}`);
  expect(explainCommandError(error)).toBe(`EACCES at ${refused}. ${advice}`);
});
