import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const DAY_MS = 86_400_000;

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
    ['DATABASE_DIRECT_URL=""\nPOSTGRES_DATABASE="restored"', 'restored'],
  ])('finds the database of %s', async (line, database) => {
    const folder = temporaryFolder({ variables: `${line}\n` });
    await backUpBy('echo', folder);
    const [backup = ''] = readdirSync(folder);
    expect(readFileSync(path.join(folder, backup), 'utf8')).toMatch(new RegExp(` ${database}\\n$`));
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
