import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import {
  EARLIER_RELEASES,
  installedCopies,
  outdatedCopies,
  withRelease,
} from '../../server/installedCopies.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const BACKUP = '/usr/local/sbin/audio-backup';
const SITE = '/etc/nginx/conf.d/audio.conf';
const OLD = '# Release 1.0.0\nold\n';
const NEW = '# Release 1.1.0\nnew\n';

/** Returns the state of the copy of backup.sh, where this release has `NEW` and the one before had `OLD`. */
function stateOf(installed: string, before = OLD): string | undefined {
  const root = temporaryFolder({ [BACKUP]: installed });
  const earlier = withRelease('', '1.0.0', () => before);
  const release = temporaryFolder({ 'deploy/backup.sh': NEW, [EARLIER_RELEASES]: earlier });
  return installedCopies(root, release)[0]?.state;
}

test.each([
  ['of this release', NEW, 'ours'],
  ['of this release, changed by the operator', `${NEW}ours\n`, 'ours'],
  ['of the release before', OLD, 'earlier'],
  ['of the release before, changed by the operator', `${OLD}ours\n`, 'earlierAndChanged'],
  ['of a release that named none', '# deploy/audio-backup.service calls it\nours\n', 'earlierAndChanged'],
  ['of a later release', '# Release 1.10.0\nlater\n', 'ours'],
])('a copy %s is told apart', (_case, installed, state) => {
  expect(stateOf(installed)).toBe(state);
});

test.each(['# Release 1.0.0\nours\n', '# deploy/backup.sh\nours\n'])(
  'a changed copy of a file that is as it was needs nothing',
  (installed) => {
    expect(stateOf(installed, '# Release 1.0.0\nnew\n')).toBe('ours');
  },
);

const nginx = readFileSync(path.join(PROJECT_ROOT, 'deploy/nginx.conf'), 'utf8');
const installedNginx = (text: string) =>
  text
    .replaceAll(/\$\{PUBLIC_HOST\}/g, 'radio.example www.radio.example')
    .replace('app-1:4000', '127.0.0.1:4000')
    .replace('app-2:4000', '127.0.0.1:4001')
    .replaceAll(/^ *listen \[::\].*\n/gm, '');

test('the names and addresses of an installation are no difference', () => {
  const root = temporaryFolder({ [SITE]: installedNginx(nginx.replace(/Release .*/, 'Release 2.0.0')) });
  expect(outdatedCopies(installedCopies(root))).toEqual([]);
});

test('a new nginx.conf keeps the names and addresses of the installation', () => {
  const older = installedNginx(
    nginx.replace(/Release .*/, 'Release 1.0.0').replace('keepalive 64', 'keepalive 32'),
  );
  const [copy] = installedCopies(temporaryFolder({ [SITE]: older }));
  const site = /^ *(?:listen \[|server_name|server .* max_fails|keepalive \d).*$/gm;
  expect([copy?.state, copy?.wanted.match(site)]).toEqual([
    'earlierAndChanged',
    installedNginx(nginx).match(site),
  ]);
});

test('a third instance is no difference', () => {
  const older = nginx.replace(/Release .*/, 'Release 2.0.0').replace(/^ *server app-1.*\n/m, '$&$&');
  const [copy] = installedCopies(temporaryFolder({ [SITE]: older }));
  expect([copy?.state, copy?.wanted.match(/max_fails=0/g)?.length]).toEqual(['ours', 3]);
});

test('a copy that cannot be read is not taken for current', () => {
  const root = temporaryFolder({ [`${BACKUP}/folder`]: '' });
  expect(installedCopies(root)).toMatchObject([{ place: BACKUP, state: 'unreadable' }]);
});

test('files of other services at the same places are left out', () => {
  const root = temporaryFolder({ '/etc/nginx/nginx.conf': 'http {\n  include sites-enabled/*;\n}\n' });
  expect(installedCopies(root)).toEqual([]);
});
