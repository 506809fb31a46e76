import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { backUp, dumpsIn } from './backUp.ts';

test.each([
  ['server.conf of 2.1', ['/etc/audio.env', 'env', 'PGHOST=db.example', 'PGPORT=5432', 'PGUSER=audio']],
  ['the unit of 2.1', ['/etc/audio.env', 'setpriv', '--reuid=postgres', '--', 'env', 'PGPORT=5433']],
  ['containers of 2.0', ['/opt/audio/.env', 'docker', 'compose', 'exec', '-T', 'database']],
])('the command line of %s names what takes it away', async (_case, args) => {
  const DATABASE_URL = 'postgresql://audio@localhost/audio';
  await expect(backUp(args, { DATABASE_URL, STATE_DIRECTORY: temporaryFolder() })).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringMatching(
      /^The command line .* of an earlier release: run deploy\/install\.sh, .*\n$/,
    ),
  });
});

test('a backup without an address says what to write', async () => {
  await expect(backUp([], { STATE_DIRECTORY: temporaryFolder() })).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^DATABASE_URL is not set: \/etc\/audio\.env .*\n$/),
  });
});

describe('backup.sh --containers', () => {
  /**
   * Backs up by a stand-in for docker, where each instance prints its address, or does not run, and `.env` leads to
   * `next`. Returns the command that made the dump, and whether a container was started.
   */
  const backUpContainers = async (files: Record<string, string>) => {
    const folder = temporaryFolder(files);
    const docker = `#!/bin/bash
      case "$*" in
        *" exec -T app-"*) cat "${folder}/$6" ;;
        *" config") printf 'services:\\n  app-1:\\n    environment:\\n      DATABASE_URL: %s\\n  app-2:\\n' "$(cat ${folder}/next)" ;;
        *" psql "*) echo 1 ;;
        *" pg_dump "*) echo "$@" ;;
        *" pg_restore "*) ;;
        *) touch ${folder}/started ;;
      esac`;
    const state = path.join(folder, 'state');
    await backUp(['--containers', '/opt/audio'], { STATE_DIRECTORY: state }, { docker });
    expect(existsSync(path.join(folder, 'started'))).toBe(false);
    return readFileSync(path.join(state, dumpsIn(state)[0] ?? ''), 'utf8');
  };
  const AUDIO = 'postgresql://audio:5ec2e7@database/audio\n';
  const RESTORED = 'postgresql://audio:5ec2e7@database:5432/audio_restored?connection_limit=5\n';

  test.each([
    ['both instances use', { 'app-1': RESTORED, 'app-2': RESTORED, next: AUDIO }],
    ['the only instance uses', { 'app-2': RESTORED, next: AUDIO }],
    ['stopped instances would use, and starts none,', { next: RESTORED }],
  ])('backs up the database that %s in the database’s container', async (_case, files) => {
    expect(await backUpContainers(files)).toMatch(
      /^compose --project-directory \/opt\/audio exec -T --env PGUSER=postgres database .* pg_dump .* audio_restored\n$/,
    );
  });

  test('refuses instances of two databases', async () => {
    await expect(backUpContainers({ 'app-1': AUDIO, 'app-2': RESTORED })).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/DATABASE_URL differs between app-1 and app-2: restart both\n$/),
    });
  });

  test.each([
    'db.example/audio',
    'database:5433/audio',
    'database/audio?host=db.example',
    'database/audio?connection_limit=5&port=5433',
    'database/audio # ours',
    '',
  ])('refuses an address of containers that ends in %j without repeating it', async (end) => {
    const refused = backUpContainers({ 'app-1': `postgresql://audio:5ec2e7@${end}\n` });
    await expect(refused).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /DATABASE_URL in the containers must lead to the container database, and end in @database\/NAME\n$/,
      ),
    });
    await expect(refused).rejects.not.toMatchObject({ stderr: expect.stringContaining('5ec2e7') });
  });
});
