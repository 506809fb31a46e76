import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

const UNITS = readdirSync(path.join(PROJECT_ROOT, 'deploy')).filter((name) =>
  /\.(?:service|timer)$/.test(name),
);

test.each(UNITS)('systemd understands all of deploy/%s', (name) => {
  // The programs that it starts are not here.
  const unit = readFileSync(path.join(PROJECT_ROOT, 'deploy', name), 'utf8').replace(
    /^(Exec\w+=\+?)\S+/gm,
    '$1/bin/true',
  );
  const instance = name.replace('@', '@4000');
  const service = instance.replace('timer', 'service');
  const folder = temporaryFolder({ [service]: '[Service]\nExecStart=/bin/true\n', [instance]: unit });
  const { stderr } = spawnSync(
    requireTool('systemd-analyze'),
    ['verify', '--man=no', path.join(folder, instance)],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr.split('\n').filter((line) => line.includes(instance))).toEqual([]);
});

/** Of 10, in tenths. */
const MOST_EXPOSED = 30;

test('systemd rates deploy/audio@.service as well sandboxed', () => {
  const { status, stdout } = spawnSync(
    requireTool('systemd-analyze'),
    ['security', '--offline=true', `--threshold=${MOST_EXPOSED}`, '--no-pager', 'deploy/audio@.service'],
    { cwd: PROJECT_ROOT, encoding: 'utf8' },
  );
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([
    0,
    expect.stringContaining('Overall exposure'),
  ]);
});

test('needrestart leaves both instances to the operator', () => {
  const services = ['audio@4000', 'audio@4001', 'audio-watch@4000', 'nginx'].map((name) => `${name}.service`);
  // As needrestart reads and asks it.
  const program = `our %nrconf = (override_rc => {});
    eval do { local $/; <STDIN> };
    die $@ if $@;
    my $override = $nrconf{override_rc};
    for my $rc (@ARGV) { print $rc if grep { $rc =~ /$_/ && !$override->{$_} } keys %$override }`;
  const { stdout, stderr } = spawnSync(
    requireTool('perl'),
    ['-Mstrict', '-w', '-l', '-e', program, ...services],
    {
      input: readFileSync(path.join(PROJECT_ROOT, 'deploy', 'needrestart.conf')),
      encoding: 'utf8',
    },
  );
  expect([stdout, stderr]).toEqual(['audio@4000.service\naudio@4001.service\n', '']);
});
