import { renameSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildFingerprint,
  forgetFingerprint,
  isBuildFresh,
  recordFingerprint,
} from '../../scripts/freshness.mjs';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

function builtProject(): string {
  const root = temporaryFolder({
    'client/main.tsx': 'client',
    'client/login/Login.tsx': 'login',
    'client/api/gql/graphql.ts': 'generated',
    'server/main.ts': 'server',
    'server/generated/prisma/client.ts': 'generated',
    'schema.graphql': 'schema',
    'package-lock.json': '{}',
    'dist/server/main.js': 'built',
    'dist/server/account.js': 'built',
    'dist/server/migrate.js': 'built',
    'dist/server/check.js': 'built',
  });
  recordFingerprint(root, 'build', buildFingerprint(root));
  return root;
}

describe('a build is up to date', () => {
  test('when nothing changed since', () => {
    expect(isBuildFresh(builtProject())).toBe(true);
  });

  test('when a source was only touched, or only what no build reads changed', () => {
    const root = builtProject();
    write(root, 'client/api/gql/graphql.ts', 'made anew');
    write(root, 'server/graphql/resolverTypes.generated.ts', 'made anew');
    rmSync(path.join(root, 'server/generated'), { recursive: true });
    write(root, 'tests/some.test.ts', 'a test');
    utimesSync(path.join(root, 'client/main.tsx'), new Date(), new Date('2030-01-01'));
    expect(isBuildFresh(root)).toBe(true);
  });
});

describe('a build is out of date', () => {
  test.each<[change: string, (root: string) => void]>([
    ['a source changed and kept its length', (root) => write(root, 'client/main.tsx', 'CLIENT')],
    ['a source was added', (root) => write(root, 'client/dashboard/Player.tsx', '')],
    [
      'a source was renamed',
      (root) => renameSync(path.join(root, 'server/main.ts'), path.join(root, 'server/other.ts')),
    ],
    ['part of it is gone', (root) => rmSync(path.join(root, 'dist/server/account.js'))],
    ['it was never finished', (root) => forgetFingerprint(root, 'build')],
  ])('when %s', (_change, make) => {
    const root = builtProject();
    make(root);
    expect(isBuildFresh(root)).toBe(false);
  });
});
