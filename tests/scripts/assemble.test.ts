import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('assembling into a folder that is not empty is refused in one line', () => {
  const args = ['--import', 'tsx', 'scripts/assemble.ts', temporaryFolder({ file: '' })];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: PROJECT_ROOT, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^\S+ is not empty\.\n$/)]);
});
