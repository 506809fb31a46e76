import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildVersion } from '../../scripts/buildVersion.ts';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const read = (folder: string, file: string) => readFileSync(path.join(folder, file), 'utf8');
const { version: VERSION } = JSON.parse(read(PROJECT_ROOT, 'package.json'));

const IDENTITY = ['-c', 'user.name=x', '-c', 'user.email=x@x.example'];
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: folder, encoding: 'utf8' }).trim();

/** Its own, since the project's has nothing unreleased after a release. */
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A door.\n\n## [1.0.0] - 2026-01-01\n';

function repository(): string {
  const folder = temporaryFolder({ '.gitignore': 'node_modules\nscripts\n', 'CHANGELOG.md': CHANGELOG });
  const { name, version, type, scripts } = JSON.parse(read(PROJECT_ROOT, 'package.json'));
  write(
    folder,
    'package.json',
    JSON.stringify({ name, version, type, scripts: { version: scripts.version } }),
  );
  for (const file of ['Dockerfile', 'compose.yaml', 'schema.graphql', 'docs/released'])
    cpSync(path.join(PROJECT_ROOT, file), path.join(folder, file), { recursive: true });
  for (const link of ['node_modules', 'scripts'])
    symlinkSync(path.join(PROJECT_ROOT, link), path.join(folder, link));
  git(folder, 'init', '--quiet');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message=before');
  return folder;
}

function npmVersion(folder: string, version: string) {
  const GIT = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@x.example' };
  const env = { ...process.env, ...GIT, GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@x.example' };
  return spawnSync('npm', ['version', version], { cwd: folder, env, encoding: 'utf8' });
}

test('npm version puts the new number everywhere', () => {
  const folder = repository();
  write(folder, 'schema.graphql', `${read(folder, 'schema.graphql')}# new\n`);
  git(folder, 'commit', '--quiet', '--all', '--message=change since the last release');
  expect(npmVersion(folder, '7.8.9').stderr).not.toContain('rror');

  const today = new Date().toISOString().slice(0, 10);
  expect(read(folder, 'CHANGELOG.md')).toBe(
    CHANGELOG.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [7.8.9] - ${today}\n`),
  );
  expect(read(folder, 'Dockerfile')).toMatch(/^ARG VERSION=7\.8\.9$/m);
  expect(read(folder, 'compose.yaml')).toMatch(/^ {2}image: audio-oficial-premium:7\.8\.9$/m);
  expect(read(folder, 'docs/released/schema.graphql')).toMatch(/# new\n$/);
  expect(git(folder, 'status', '--porcelain')).toBe('');
  expect(git(folder, 'describe', '--exact-match')).toBe('v7.8.9');

  const script = path.join(PROJECT_ROOT, 'scripts/release.ts');
  const again = spawnSync(process.execPath, ['--import', 'tsx', script], { cwd: folder, encoding: 'utf8' });
  expect([again.status, again.stderr]).toEqual([1, 'CHANGELOG.md says nothing under [Unreleased].\n']);
});

test('the changelog, the image and compose name the version of package.json', () => {
  expect(read(PROJECT_ROOT, 'CHANGELOG.md')).toContain(`\n## [${VERSION}] - `);
  expect(read(PROJECT_ROOT, 'Dockerfile')).toContain(`\nARG VERSION=${VERSION}\n`);
  expect(read(PROJECT_ROOT, 'compose.yaml')).toContain(`image: audio-oficial-premium:${VERSION}\n`);
});

test("a build's name has its version and commit", () => {
  const folder = repository();
  const commit = git(folder, 'rev-parse', '--short=12', 'HEAD');
  expect(buildVersion(folder, {})).toBe(`${VERSION}+${commit}`);
  write(folder, 'schema.graphql', 'changed');
  expect(buildVersion(folder, {})).toBe(`${VERSION}+${commit}.changed`);
  expect(buildVersion(folder, { COMMIT: 'abc' })).toBe(`${VERSION}+abc`);
  expect(buildVersion(temporaryFolder({ 'package.json': '{"version":"1.2.3"}' }), {})).toBe('1.2.3');
});
