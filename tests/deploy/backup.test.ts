import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { DAY_MS } from '../../shared/durations.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('deploy/backup.sh', () => {
  const backUpBy = (command: string, folder: string, env: Record<string, string> = {}) =>
    promisify(execFile)('deploy/backup.sh', [path.join(folder, 'variables'), command], {
      cwd: PROJECT_ROOT,
      env: { PATH: process.env.PATH, STATE_DIRECTORY: folder, ...env },
    });
  const VARIABLES = { variables: 'DATABASE_URL=postgresql://audio@localhost/audio\n' };

  test('leaves no file when it fails', async () => {
    const folder = temporaryFolder(VARIABLES);
    await expect(backUpBy('false', folder)).rejects.toMatchObject({ code: 1 });
    expect(readdirSync(folder)).toEqual(['variables']);
  });

  test.each([
    ['DATABASE_URL="postgresql://audio:a@db.example/partners?sslrootcert=/etc/ca.crt"', 'partners'],
    ["DATABASE_URL='postgresql://audio@/partners'", 'partners'],
    ['DATABASE_URL=postgres://db.example:5432/partners_2', 'partners_2'],
    ['DATABASE_URL=postgresql://audio:S3%2Fcr%40t@[2001:db8::7]:5432/partners', 'partners'],
    ['DATABASE_URL=postgresql://audio:a@%2Frun%2Fpostgresql/partners', 'partners'],
    ['DATABASE_URL=postgresql://audio@localhost/partners?host=/run/postgresql', 'partners'],
    ['DATABASE_URL=postgresql://old/old\nDATABASE_URL=postgresql://new/new', 'new'],
    ['DATABASE_DIRECT_URL=""\nDATABASE_URL=postgresql://db.example/restored', 'restored'],
  ])('finds the database of %s', async (line, database) => {
    const folder = temporaryFolder({ variables: `${line}\n` });
    await backUpBy('echo', folder);
    const [backup = ''] = readdirSync(folder);
    expect(readFileSync(path.join(folder, backup), 'utf8')).toMatch(new RegExp(` ${database}\\n$`));
  });

  test.each([
    'postgresql://audio:S3cret@db.example',
    'postgresql://audio:S3cret@db.example:5432/',
    'postgresql://audio:S3cret@db.example?sslmode=require',
    'postgresql://audio:S3cret@localhost?host=/run/postgresql',
    'postgresql://audio:S3cret@[2001:db8::7]:5432',
    'postgresql://audio:S3cret@%2Frun%2Fpostgresql',
    'postgresql://audio:S3%2Fcret@db.example',
    'postgresql://audio:S3/cret@db.example/partners',
    'postgresql://audio:12/cret@db.example/partners',
    'postgresql://audio:12/cret?@db.example/partners',
    'postgresql://audio:S3#cret@db.example/partners',
    'postgresql://db.example/S3%63ret',
    'postgresql://db.example/--S3cret',
    'postgresql://S3cret',
    'audio:S3cret@db.example/partners',
    'postgresql://audio:S3cret@db.example/partners # ours',
    `"postgresql://audio:S3'cret@db.example"`,
  ])('refuses %s without repeating any part of it', async (address) => {
    const folder = temporaryFolder({ variables: `DATABASE_URL=${address}\n`, spy: 'echo "$@" >&2' });
    chmodSync(path.join(folder, 'spy'), 0o755);
    await expect(backUpBy(path.join(folder, 'spy'), folder)).rejects.toMatchObject({
      code: 78,
      stdout: '',
      stderr:
        `DATABASE_URL in ${path.join(folder, 'variables')} must end in the name of a database, ` +
        'of letters, digits and _.- only, and no comment: postgresql://user:password@host/database\n',
    });
    expect(readdirSync(folder)).toEqual(['spy', 'variables']);
  });

  test.each(['export DATABASE_URL=postgresql://db.example/audio', 'POSTGRES_PASSWORD=x'])(
    'refuses a file of %s alone',
    async (line) => {
      const folder = temporaryFolder({ variables: `${line}\n` });
      await expect(backUpBy('echo', folder)).rejects.toMatchObject({
        code: 78,
        stderr: `${path.join(folder, 'variables')} names no database: write DATABASE_URL=address, without export or blanks around =\n`,
      });
    },
  );

  /** Backs up containers by a stand-in for docker, where each instance prints its address, or does not run. */
  const backUpContainers = async (running: Record<string, string>) => {
    const folder = temporaryFolder({
      docker: `#!/bin/bash
        case "$*" in
          *" exec -T app-"*) cat "$STATE_DIRECTORY/$6" ;;
          *" run "*) cat "$STATE_DIRECTORY/next" ;;
          *) echo "$@" ;;
        esac`,
      ...running,
    });
    chmodSync(path.join(folder, 'docker'), 0o755);
    await promisify(execFile)('deploy/backup.sh', ['--containers', '/opt/audio'], {
      cwd: PROJECT_ROOT,
      env: { PATH: `${folder}:${process.env.PATH}`, STATE_DIRECTORY: folder },
    });
    const backup = readdirSync(folder).find((name) => name.endsWith('.dump')) ?? '';
    return readFileSync(path.join(folder, backup), 'utf8');
  };
  const AUDIO = 'postgresql://audio:5ec2e7@database/audio\n';
  const RESTORED = 'postgresql://audio:5ec2e7@database/audio_restored\n';

  test.each([
    ['both instances use', { 'app-1': RESTORED, 'app-2': RESTORED, next: AUDIO }],
    ['the only instance uses', { 'app-2': RESTORED, next: AUDIO }],
    ['stopped instances would use', { next: RESTORED }],
  ])('backs up the database that %s in containers', async (_case, running) => {
    expect(await backUpContainers(running)).toBe(
      'compose --project-directory /opt/audio exec -T --env PGUSER=audio database ' +
        'pg_dump --format=custom --no-owner --no-privileges audio_restored\n',
    );
  });

  test.each([
    [
      'differ',
      { 'app-1': AUDIO, 'app-2': RESTORED },
      'DATABASE_URL differs between app-1 and app-2: restart both\n',
    ],
    [
      'use another host',
      { 'app-1': 'postgresql://audio:5ec2e7@db.example/audio' },
      'DATABASE_URL in the containers leads to another host than the container database\n',
    ],
  ])('refuses containers that %s', async (_case, running, told) => {
    await expect(backUpContainers(running)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(new RegExp(`${told}$`)),
    });
  });

  test('refuses the former command for containers, which may read another name', async () => {
    const folder = temporaryFolder(VARIABLES);
    const former = [path.join(folder, 'variables'), 'docker', 'compose', 'exec', '-T', 'database'];
    const run = promisify(execFile)('deploy/backup.sh', former, {
      cwd: PROJECT_ROOT,
      env: { PATH: process.env.PATH, STATE_DIRECTORY: folder },
    });
    await expect(run).rejects.toMatchObject({ code: 78, stderr: expect.stringContaining('--containers') });
  });

  test('tells Prometheus its time once it has succeeded', async () => {
    const folder = temporaryFolder({ ...VARIABLES, 'metrics/.keep': '' });
    const metrics = path.join(folder, 'metrics');
    await expect(backUpBy('false', folder, { TEXTFILE_DIRECTORY: metrics })).rejects.toThrow();
    expect(readdirSync(metrics)).toEqual(['.keep']);
    const before = Math.floor(Date.now() / 1_000);
    await backUpBy('true', folder, { TEXTFILE_DIRECTORY: metrics });
    const file = path.join(metrics, 'audio-backup.prom');
    const [, time] = /^audio_backup_timestamp_seconds (\d+)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(Number(time)).toBeGreaterThanOrEqual(before);
    // The exporter runs as a user of its own.
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test('removes backups of more than 14 days ago', async () => {
    const folder = temporaryFolder({ ...VARIABLES, 'audio-old.dump': '', 'audio-recent.dump': '' });
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
    utimesSync(path.join(folder, 'audio-old.dump'), daysAgo(16), daysAgo(16));
    utimesSync(path.join(folder, 'audio-recent.dump'), daysAgo(13), daysAgo(13));
    await backUpBy('true', folder);
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^audio-\d{8}T\d{6}Z\.dump$/),
      'audio-recent.dump',
      'variables',
    ]);
  });
});
