import { setTimeout as delay } from 'node:timers/promises';
import v8 from 'node:v8';
import { type Config, loadDotEnv, readConfig } from './config/config.ts';
import { misspeltWarnings } from './config/misspelt.ts';
import { OperatorError } from './errors.ts';
import { createLog, flushed } from './observing/log.ts';
import { onProcessWarning } from './observing/processWarnings.ts';
import { ownVersion } from './observing/version.ts';
import { createCleanupStack } from './start/cleanupStack.ts';
import { startFailure } from './start/startFailure.ts';
import { welcome } from './start/startMessage.ts';
import { type StartedServer, startServer } from './start/startServer.ts';

/** Under the 10 s after which `docker stop` and others kill the process. */
const SHUTDOWN_LIMIT_MS = 9_500;
/** Left after that for writing the end of the log. */
const LAST_LINES_MS = 300;
/** Given to a start under way; the rest of the limit is for closing. */
const START_PATIENCE_MS = 7_000;

// Keeps Prisma's WebAssembly as first compiled: V8 would take 29 MB to optimize code that hardly ever runs again
// (docs/performance.md).
for (const flag of ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up']) v8.setFlagsFromString(flag);

const log = createLog({ level: 'warn' });
const cleanup = createCleanupStack(log);
const shutdown = new AbortController();
let starting: Promise<StartedServer> | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0, signal));
onProcessWarning(({ message, ...kind }) => log.warn(kind, message));
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unforeseen');
  void stop(1);
});
try {
  loadDotEnv();
  for (const warning of misspeltWarnings(process.env)) log.warn(warning);
  const config = readConfig(process.env);
  starting = startServer(config, { log, cleanup, signal: shutdown.signal });
  announce(config, await starting);
} catch (error) {
  if (!shutdown.signal.aborted) {
    print(process.stderr, `${startFailure(error)}\n`);
    await stop(error instanceof OperatorError ? error.exitCode : 1);
  }
}

function announce(config: Config, { address, metricsAddress, ...started }: StartedServer): void {
  if (config.production) {
    // Raised only now; otherwise Fastify would log that it listens as well.
    log.level = 'info';
    log.info(
      { version: ownVersion(), address, ...(metricsAddress && { metrics: metricsAddress }) },
      'listening',
    );
  } else print(process.stdout, welcome({ address, config, ...started }));
}

function print(stream: NodeJS.WriteStream, text: string): void {
  stream.on('error', () => {}).write(text);
}

async function stop(exitCode: number, signal?: NodeJS.Signals): Promise<void> {
  if (shutdown.signal.aborted) return;
  shutdown.abort();
  if (signal !== undefined) log.info({ signal }, 'stopping');
  setTimeout(giveUp, SHUTDOWN_LIMIT_MS).unref();
  // Something that is still opening, such as PostgreSQL, can be closed only once it is open.
  await Promise.race([starting?.catch(() => {}), delay(START_PATIENCE_MS)]);
  await cleanup.close(signal);
  log.info({ exitCode }, 'stopped');
  await flushed(log);
  process.exit(exitCode);
}

/** Kills the process when the log has no reader, because `process.exit` would wait for one. */
function giveUp(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINES_MS);
  void flushed(log).then(() => process.exit(1));
}
