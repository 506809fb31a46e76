import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../../server/config/folders.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** More lines than fit into a pipe of 64 KiB. */
const LINES = 1_000;
/** More than waits in memory. */
const TOO_LONG = 17 * 1024 * 1024;

/** A program that logs on standard output, waits for standard input to end, and ends as the server does. */
const PROGRAM = `
  import { once } from 'node:events';
  const { createLog, flushed } = await import('./server/observing/log.ts');
  const log = createLog({ level: 'info' });
  for (let line = 1; line <= ${LINES}; line += 1) log.info({ line }, 'x'.repeat(100));
  process.stderr.write('went on');
  await once(process.stdin.resume(), 'end');
  await flushed(log);
  log.info('x'.repeat(${TOO_LONG}));
  log.info('stopped');
  await flushed(log);
  process.exit(0);`;

const numbersIn = (log: string) => Array.from(log.matchAll(/"line":(\d+),/g), ([, line]) => Number(line));
const EVERY_LINE = Array.from({ length: LINES }, (_, index) => index + 1);

test('a log that could not be written says so once it can', async () => {
  const file = path.join(temporaryFolder(), 'log');
  execFileSync('mkfifo', [file]);
  // Opening a named pipe to write needs a reader, and writing fails once there is none.
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(file, 'w');
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
    cwd: PROJECT_ROOT,
    stdio: ['pipe', writer, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  closeSync(reader);
  closeSync(writer);
  await once(child.stderr ?? child, 'data');
  const reading = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const log = text(reading.stdout);
  await once(reading.stdout, 'data');
  child.stdin?.end();
  const written = await log;
  expect(numbersIn(written)).toEqual(EVERY_LINE);
  expect(written.split('\n').filter((line) => line.includes('could not be written'))).toEqual([
    expect.stringMatching(/"level":"warn".*"reason":"EPIPE","since":"\d{4}-[^"]+Z","dropped":0/),
    expect.stringMatching(/"reason":"slow reader".*"dropped":1/),
  ]);
});
