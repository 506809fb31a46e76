import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const UNIT = '/etc/systemd/system/audio-backup.service';
const UNCHANGED = readFileSync(
  path.join(PROJECT_ROOT, 'tests/deploy/release-2.0.0/audio-backup.service'),
  'utf8',
);

function takeCopies(root: string) {
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    const env = { PATH: process.env.PATH, AUDIO_ROOT: root };
    execFile(process.execPath, ['dist/server/copies.js'], { cwd: PROJECT_ROOT, env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n') }),
    );
  });
}

test('a changed copy and what was begun of its successor stay', async () => {
  const root = temporaryFolder({ [UNIT]: `${UNCHANGED}Nice=10\n` });
  expect(await takeCopies(root)).toEqual({ code: 1, lines: [expect.stringContaining(`Kept ${UNIT}`)] });
  const begun = `${readFileSync(path.join(root, `${UNIT}.new`), 'utf8')}# mine\n`;
  writeFileSync(path.join(root, `${UNIT}.new`), begun);
  expect(await takeCopies(root)).toEqual({ code: 1, lines: [expect.stringContaining(`Left ${UNIT}`)] });
  expect(readFileSync(path.join(root, `${UNIT}.new`), 'utf8')).toBe(begun);
  renameSync(path.join(root, `${UNIT}.new`), path.join(root, UNIT));
  expect(await takeCopies(root)).toEqual({ code: 0, lines: ['Every copy is of this release'] });
});

test('a copy that is replaced keeps its mode, its symbolic link and its former content', async () => {
  const root = temporaryFolder({ 'etc/kept/unit': UNCHANGED, [path.join(path.dirname(UNIT), 'other')]: '' });
  chmodSync(path.join(root, 'etc/kept/unit'), 0o600);
  symlinkSync(path.join(root, 'etc/kept/unit'), path.join(root, UNIT));
  expect(await takeCopies(root)).toEqual({ code: 0, lines: [`Replaced ${UNIT}`] });
  expect(readFileSync(path.join(root, 'etc/kept/unit'), 'utf8')).not.toBe(UNCHANGED);
  expect(statSync(path.join(root, 'etc/kept/unit')).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(root, `${UNIT}.old`), 'utf8')).toBe(UNCHANGED);
});

test('a copy that cannot be read stops no other one', async () => {
  const root = temporaryFolder({ '/usr/local/sbin/audio-backup/folder': '', [UNIT]: UNCHANGED });
  expect(await takeCopies(root)).toEqual({
    code: 1,
    lines: ['Cannot read /usr/local/sbin/audio-backup', `Replaced ${UNIT}`],
  });
});
