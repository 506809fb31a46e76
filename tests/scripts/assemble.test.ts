import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test.each<[string, () => string[], RegExp]>([
  ['without a folder', () => [], /^Usage: npm run assemble -- FOLDER\n$/],
  ['into two folders', () => ['one', 'two'], /^Usage: npm run assemble -- FOLDER\n$/],
  ['into a folder that is not empty', () => [temporaryFolder({ file: '' })], /^\S+ is not empty\.\n$/],
])('assembling %s is refused in one line', (_what, args, said) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/assemble.ts', ...args()],
    { cwd: PROJECT_ROOT, encoding: 'utf8' },
  );
  expect(stderr).toMatch(said);
  expect(status).toBe(1);
});
