import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const SOUND = Buffer.from([0xff, 0xfb, 0x0d, 0x0a, 0x00, 0x0a]);

test('a clone under Windows keeps the line ends of scripts and the bytes of sound', () => {
  const folder = temporaryFolder({ 'origin/script.sh': '#!/bin/bash\ntrue\n' });
  const origin = path.join(folder, 'origin');
  write(origin, 'sound.mp3', SOUND);
  copyFileSync(path.join(PROJECT_ROOT, '.gitattributes'), path.join(origin, '.gitattributes'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  git('init', '-q', 'origin');
  git('-C', 'origin', 'add', '.');
  git('-C', 'origin', 'commit', '-q', '-m', 'a');
  git('-c', 'core.autocrlf=true', 'clone', '-q', 'origin', 'windows');
  expect(readFileSync(path.join(folder, 'windows/script.sh'), 'utf8')).not.toContain('\r');
  expect(readFileSync(path.join(folder, 'windows/sound.mp3'))).toEqual(SOUND);
});
