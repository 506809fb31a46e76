import { renameSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildFingerprint, forgetBuild, isBuildFresh, recordBuild } from '../../scripts/freshness.mjs';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const ENTRIES = ['main', 'account', 'migrate', 'check'].map((entry) => [`dist/server/${entry}.js`, 'built']);

function builtProject(): string {
  const root = temporaryFolder({
    'client/main.tsx': 'client',
    'client/generated/graphql.ts': 'generated',
    'server/main.ts': 'server',
    ...Object.fromEntries(ENTRIES),
  });
  recordBuild(root, buildFingerprint(root));
  return root;
}

test('a build stays fresh while nothing that it reads changes', () => {
  const root = builtProject();
  write(root, 'client/generated/graphql.ts', 'made anew');
  write(root, 'tests/some.test.ts', 'a test');
  utimesSync(path.join(root, 'client/main.tsx'), new Date(), new Date('2030-01-01'));
  expect(isBuildFresh(root)).toBe(true);
});

test.each<[change: string, (root: string) => void]>([
  ['a source changed and kept its length', (root) => write(root, 'client/main.tsx', 'CLIENT')],
  [
    'a source was renamed',
    (root) => renameSync(path.join(root, 'server/main.ts'), path.join(root, 'server/other.ts')),
  ],
  ['part of it is gone', (root) => rmSync(path.join(root, 'dist/server/account.js'))],
  ['it was never finished', forgetBuild],
])('a build is out of date when %s', (_change, make) => {
  const root = builtProject();
  make(root);
  expect(isBuildFresh(root)).toBe(false);
});
