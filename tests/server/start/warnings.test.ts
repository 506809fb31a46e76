import { beforeEach, expect, test } from 'vitest';
import { createLog } from '../../../server/observing/log.ts';
import { createMetrics, type Metrics } from '../../../server/observing/metrics.ts';
import { databaseWarnings, guessingWarnings } from '../../../server/start/warnings.ts';

let metrics: Metrics;
let lines: Array<Record<string, unknown>>;
const log = createLog({ level: 'warn', output: { write: (line) => void lines.push(JSON.parse(line)) } });

beforeEach(() => {
  metrics = createMetrics();
  lines = [];
});

test('sign-ins that fail from many networks are counted', async () => {
  const observer = guessingWarnings(log, metrics, () => new Date());
  for (let network = 0; network <= 10; network += 1) observer.onFailure('the-id', `192.0.2.${network}`);
  expect((await metrics.collect()).text).toContain('audio_sign_ins_from_many_networks_total 1');
});

test('a broken connection to the database is logged', async () => {
  const error = Object.assign(new Error('read'), { syscall: 'read', code: 'ECONNRESET' });
  databaseWarnings(log, metrics).onConnectionLost?.(error);
  expect(lines).toMatchObject([{ reason: 'ECONNRESET', msg: 'a database connection was lost' }]);
  expect((await metrics.collect()).text).toContain('audio_database_connections_lost_total 1');
});
