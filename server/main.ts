import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from './app.ts';
import { type Config, completeWorld, loadDotEnv, readConfig } from './config/config.ts';
import { PROJECT_ROOT } from './config/paths.ts';
import { openDatabase, unavailableReason } from './database/database.ts';
import { blaming } from './database/databaseFault.ts';
import { deleteExpiredRows, pruneHourly } from './database/expiredRows.ts';
import { applyMigrations } from './database/migrate.ts';
import { OperatorError } from './errors.ts';
import { drain, IDLE_PATIENCE_MS } from './http/drain.ts';
import { listenAlso } from './http/listeners.ts';
import { createLog, flushed } from './observing/log.ts';
import { onProcessWarning } from './observing/processWarnings.ts';
import { createSessions } from './signIn/sessions.ts';
import { signingKeys } from './signIn/signedJwt.ts';
import { createSignIn } from './signIn/signIn.ts';
import { startFailure } from './startFailure.ts';
import { welcome } from './startMessage.ts';
import { streamAt } from './streamTokens/createStreamToken.ts';
import { createStreamProvider } from './streamTokens/provider.ts';
import { authSignParameterOf } from './streamTokens/providerHtml.ts';
import { createTokenLedger } from './streamTokens/tokenLedger.ts';

/** Under the 10 s that `docker stop` and others wait before they kill. */
const SHUTDOWN_LIMIT_MS = 9_500;
/** For how long a start under way is waited for when it is to stop, which leaves the rest of the limit for closing. */
const START_PATIENCE_MS = 7_000;

const log = createLog({ level: 'warn' });
const closers: Array<(signal?: NodeJS.Signals) => Promise<unknown>> = [];
const stopping = new AbortController();
let starting: Promise<void> | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0, signal));
onProcessWarning(({ message, ...kind }) => log.warn(kind, message));
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unforeseen');
  void stop(1);
});
try {
  loadDotEnv();
  starting = start(readConfig(process.env));
  await starting;
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`${startFailure(error)}\n`);
    await stop(1);
  }
}

/** Goes no further than the next part that it opens, or the next address, once the process is to stop. */
async function start(config: Config): Promise<void> {
  const [host = config.host, ...otherAddresses] = await addressesOf('HOST', config.host);
  const onClose = (close: (typeof closers)[number]) => {
    closers.unshift(close);
    stopping.signal.throwIfAborted();
  };
  // First, so that they can be asked for until all else is closed.
  const metrics = config.metrics && (await openMetrics(config.metrics, onClose));
  const given = completeWorld(config.world);
  const demo =
    given === null
      ? await (await import('./demo/demo.ts')).openDemo(config.world, {
          host: config.host,
          appPort: config.port,
          log,
          onClose,
        })
      : null;
  const world = given ?? demo?.world;
  const authSignParameter = world && authSignParameterOf(world.streamBaseUrl);
  if (!world || !authSignParameter) throw new Error('The configuration was not checked');

  const variable = config.directDatabaseUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  await applyMigrations(config.directDatabaseUrl ?? world.databaseUrl, {
    onWarning: (message) => log.warn(message),
    variable,
    signal: stopping.signal,
  }).catch((error) => {
    throw blaming(variable, error);
  });
  const database = openDatabase(world.databaseUrl, {
    behindPooler: config.directDatabaseUrl !== null,
    onConnectionLost: (error) => {
      metrics?.onConnectionLost();
      log.warn({ reason: unavailableReason(error) }, 'a database connection was lost');
    },
    onUnlimited: () =>
      log.warn('PostgreSQL does not end slow statements, as a pooler in between does not ask it to'),
  });
  onClose(() => database.close());
  const provider = createStreamProvider({
    tokenUrl: world.providerTokenUrl,
    authSignParameter,
    log,
    observer: metrics?.provider,
  });
  onClose(() => provider.close());
  metrics?.watch({ database, provider });
  const demoAccount =
    demo?.databaseFolder != null
      ? await (await import('./demo/demoAccount.ts')).ensureDemoAccount(database.prisma)
      : null;

  const clock = () => new Date();
  const { prisma } = database;
  const { tokenLedgerDays: ledgerDays } = config;
  onClose(pruneHourly(() => deleteExpiredRows(prisma, { now: clock(), ledgerDays }), log));
  const keys = signingKeys(world.jwtSecret, config.previousJwtSecret);
  const sessions = createSessions(database, keys, clock);
  const clientFolder = path.join(PROJECT_ROOT, 'dist', 'client');
  const app = await createApp({
    services: {
      signIn: createSignIn({ query: database.query, sessions, keys, clock }),
      sessions,
      provider,
      stream: streamAt(world.streamBaseUrl),
      ledger: createTokenLedger(database),
      clock,
    },
    database,
    logger: log,
    sandbox: config.apolloSandbox ? { credentials: demoAccount } : null,
    trustProxy: config.trustProxy,
    clientFolder: existsSync(clientFolder) ? clientFolder : null,
    firebaseConfig: config.firebaseConfig,
    observer: metrics?.requests,
  });
  let further: TcpServer[] = [];
  onClose(async (signal) => {
    // Whoever stops it at the terminal does not wait for idle browsers.
    const isWhole = await drain(app.server, signal === 'SIGTERM' ? IDLE_PATIENCE_MS : 0, further);
    if (!isWhole) log.warn('requests that took too long were cut off');
    await app.close();
  });
  await database.warmUp();
  stopping.signal.throwIfAborted();
  const address = await app.listen({ host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  further = await listenAlso(app.server, { addresses: otherAddresses, port });

  if (config.production) {
    // Only now, or Fastify would say that it listens, too.
    log.level = 'info';
    log.info({ address, ...(metrics && { metrics: metrics.address }) }, 'listening');
  } else
    process.stdout.write(welcome({ address, config, streamBaseUrl: world.streamBaseUrl, demo, demoAccount }));
}

/** Ends everything that was started, once, within bounded time; a start and requests under way finish first. */
async function stop(exitCode: number, signal?: NodeJS.Signals): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  if (signal !== undefined) log.info({ signal }, 'stopping');
  setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
  // What is being opened can be closed only once it is open.
  await Promise.race([starting?.catch(() => {}), delay(START_PATIENCE_MS)]);
  for (const close of closers) {
    await close(signal).catch((error: unknown) => log.error({ err: error }, 'closing failed'));
  }
  log.info({ exitCode }, 'stopped');
  await flushed(log);
  process.exit(exitCode);
}

/** Asked for before anything is opened, so that the database is not blamed for a name that is not known. */
async function addressesOf(variable: string, host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => {
    throw new OperatorError(`${variable} is ${host}, which is no address or name of this machine.`);
  });
  return [...new Set(found.map(({ address }) => address))];
}

/** Nothing of it is loaded where nobody asks for metrics. */
async function openMetrics(
  at: { host: string; port: number },
  onClose: (close: () => Promise<void>) => void,
) {
  await addressesOf('METRICS_HOST', at.host);
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./observing/metrics.ts'),
    import('./observing/metricsServer.ts'),
  ]);
  const metrics = createMetrics();
  const { address, close } = await serveMetrics(metrics, { ...at, log });
  onClose(close);
  return { ...metrics, address };
}
