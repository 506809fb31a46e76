import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';

const MAIN = 'of the package\n';
const MAIN_CHECKSUM = createHash('md5').update(MAIN).digest('hex');
const RECORD = 'var/lib/audio-install';

/**
 * Returns a machine where the program `interrupted` runs `commands` after its own work whenever one of its arguments
 * ends in `argument`; their `$PPID` is install.sh.
 */
function machineWith(interrupted: Record<string, { argument: string; commands: string }>) {
  const programs = temporaryFolder({
    'dpkg-query': `#!/bin/sh\necho ' /etc/nginx/nginx.conf ${MAIN_CHECKSUM}'\n`,
  });
  for (const [name, { argument, commands }] of Object.entries(interrupted))
    write(
      programs,
      name,
      `#!/bin/sh\nPATH=/usr/bin:/bin ${name} "$@" || exit\ncase "$*" in *${argument}) ${commands} ;; esac\n`,
    );
  for (const name of readdirSync(programs)) chmodSync(path.join(programs, name), 0o755);
  const folder = temporaryFolder();
  write(path.join(folder, 'etc/nginx'), 'nginx.conf', MAIN);
  const install = (PATH: string) =>
    promisify(execFile)(path.join(PROJECT_ROOT, 'deploy/install.sh'), ['--public-name', 'audio.example'], {
      env: { PATH, DESTDIR: folder },
    });
  return {
    interrupt: () => install(`${programs}:${process.env.PATH}`),
    install: () => {
      for (const name of Object.keys(interrupted)) rmSync(path.join(programs, name));
      return install(`${programs}:${process.env.PATH}`);
    },
    files: () =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => !entry.isDirectory())
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => [
            path.relative(folder, file),
            file.endsWith('opt/audio') ? readlinkSync(file) : readFileSync(file, 'utf8'),
          ]),
      ),
  };
}

test('a first installation that is interrupted twice leaves no file', async () => {
  const commands = 'kill -INT $PPID';
  const machine = machineWith({
    install: { argument: '/etc/nginx/nginx.conf.part', commands },
    rm: { argument: '/usr/local/bin/audio-monitor', commands },
  });
  await expect(machine.interrupt()).rejects.toMatchObject({ code: 130 });
  expect(machine.files()).toEqual({ 'etc/nginx/nginx.conf': MAIN, [`${RECORD}/lock`]: '' });
});

test.each(['/etc/nginx/conf.d/audio.conf', '/etc/nginx/nginx.conf'])(
  'a first installation that is killed after %s is completed by the next run',
  async (argument) => {
    const whole = machineWith({});
    await whole.install();
    const killed = machineWith({ mv: { argument, commands: 'kill -KILL $PPID' } });
    await expect(killed.interrupt()).rejects.toMatchObject({ signal: 'SIGKILL' });
    await killed.install();
    expect(killed.files()).toEqual(whole.files());
  },
);
