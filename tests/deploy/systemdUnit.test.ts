import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import { requireSystemdAnalyze } from '../support/testTools.ts';

/** Of 10, in tenths. */
const MOST_EXPOSED = 30;

test('systemd rates docs/audio@.service as letting an instance do little more than it needs', () => {
  const { status, stdout } = spawnSync(
    requireSystemdAnalyze(),
    ['security', '--offline=true', `--threshold=${MOST_EXPOSED}`, '--no-pager', 'docs/audio@.service'],
    { cwd: PROJECT_ROOT, encoding: 'utf8' },
  );
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([
    0,
    expect.stringContaining('Overall exposure'),
  ]);
});
