import { expect, test } from 'vitest';
import { createLog } from '../../../server/observing/log.ts';
import { createMetrics } from '../../../server/observing/metrics.ts';
import { databaseWarnings, warnOfOutdatedCopies } from '../../../server/start/warnings.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

function createTestLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'warn', output: { write: (line) => lines.push(line) } }) };
}

test('a broken connection to the database is logged and counted', async () => {
  const metrics = createMetrics();
  const { log, lines } = createTestLog();
  const error = Object.assign(new Error('read'), { syscall: 'read', code: 'ECONNRESET' });
  databaseWarnings(log, metrics).onConnectionLost?.(error);
  expect(JSON.parse(lines.join())).toMatchObject({
    reason: 'ECONNRESET',
    msg: 'a database connection was lost',
  });
  expect((await metrics.collect()).text).toContain('audio_database_connections_lost_total 1');
});

test('a start logs which copies an upgrade left behind', () => {
  const { log, lines } = createTestLog();
  warnOfOutdatedCopies(log, temporaryFolder({ '/usr/local/sbin/audio-backup': '# Release 2.0.0\n' }));
  warnOfOutdatedCopies(log, temporaryFolder());
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ files: ['/usr/local/sbin/audio-backup'] }),
  ]);
});
