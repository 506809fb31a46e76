import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { BUILT } from '../../support/serverProcess.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const PROGRAM = `
  const { createLog, flushed } = await import('./server/observing/log.ts');
  const log = createLog({ level: 'trace' });
  for (const level of ['debug', 'info', 'warn', 'error', 'fatal']) log[level]('two\\nlines');
  await flushed(log);`;

/** Runs Node with both outputs in one file, as a unit's are in one socket, and returns what was written. */
function outputOf(args: string[], env: (file: string) => Record<string, string>): string {
  const file = path.join(temporaryFolder(), 'journal');
  const output = openSync(file, 'w');
  const { dev, ino } = fstatSync(output, { bigint: true });
  spawnSync(process.execPath, args, {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, ...env(`${dev}:${ino}`) },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  return readFileSync(file, 'utf8');
}

const logged = (stream: (own: string) => string) =>
  outputOf(['--import', 'tsx', '--input-type=module', '-e', PROGRAM], (own) => ({
    JOURNAL_STREAM: stream(own),
  }))
    .trim()
    .split('\n');

test('each line of the log has its priority in the journal', () => {
  const lines = logged((own) => own);
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['<7>', '<6>', '<4>', '<3>', '<2>']);
  expect(lines.map((line) => JSON.parse(line.slice(3)).level)).toEqual([
    'debug',
    'info',
    'warn',
    'error',
    'fatal',
  ]);
});

test('the log elsewhere is JSON alone, although the variable of the journal was inherited', () => {
  expect(logged(() => '8:12345').map((line) => JSON.parse(line).level)).toHaveLength(5);
});

test('each line of a refused configuration is an error in the journal', () => {
  const refused = outputOf(BUILT, (JOURNAL_STREAM) => ({ JOURNAL_STREAM, NODE_ENV: 'production' }));
  expect(refused.trim().split('\n').length).toBeGreaterThan(3);
  expect(refused).toMatch(/^(?:<3>.+\n)+$/);
});
