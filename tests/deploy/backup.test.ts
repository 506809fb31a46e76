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
    ['DATABASE_DIRECT_URL=""\nPOSTGRES_DATABASE="restored"', 'restored'],
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
    `"postgresql://audio:S3'cret@db.example"`,
  ])('refuses %s without repeating any part of it', async (address) => {
    const folder = temporaryFolder({ variables: `DATABASE_URL=${address}\n`, spy: 'echo "$@" >&2' });
    chmodSync(path.join(folder, 'spy'), 0o755);
    await expect(backUpBy(path.join(folder, 'spy'), folder)).rejects.toMatchObject({
      code: 78,
      stdout: '',
      stderr:
        `DATABASE_URL in ${path.join(folder, 'variables')} must end in the name of a database, ` +
        'of letters, digits and _.- only: postgresql://user:password@host/database\n',
    });
    expect(readdirSync(folder)).toEqual(['spy', 'variables']);
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
