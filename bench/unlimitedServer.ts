import { readConfig } from '../server/config/config.ts';
import { createLog, flushed } from '../server/observing/log.ts';
import { createLifetime } from '../server/start/lifetime.ts';
import { startServer } from '../server/start/startServer.ts';

/** Lifts the limits of `createToken`, which the single account of a benchmark would reach at once. */
const UNLIMITED = { maxAtOnce: Number.MAX_SAFE_INTEGER, maxPerMinute: Number.MAX_SAFE_INTEGER };

const log = createLog({ level: 'warn' });
const lifetime = createLifetime(log);
const { address } = await startServer(readConfig(process.env), { log, lifetime }, { tokenLimits: UNLIMITED });
log.info({ address }, 'listening');
process.once('SIGTERM', async () => {
  await lifetime.close('SIGTERM');
  await flushed(log);
  process.exit();
});
