import { expect, test } from 'vitest';
import { createLog } from '../../../server/observing/log.ts';
import { createMetrics } from '../../../server/observing/metrics.ts';
import { databaseWarnings } from '../../../server/start/warnings.ts';

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
