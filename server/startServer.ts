import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { CleanupStack } from './cleanupStack.ts';
import { type Config, completeWorld, directDatabase, missingVariables, type World } from './config/config.ts';
import { loadDemo } from './config/loadDemo.ts';
import { PROJECT_ROOT } from './config/paths.ts';
import { authSignParameterOf } from './config/streamBaseUrl.ts';
import { compareClocks, databaseTime } from './database/clock.ts';
import { openDatabase } from './database/database.ts';
import { deleteExpiredRows, pruneHourly } from './database/expiredRows.ts';
import { applyMigrations } from './database/migrate.ts';
import { RightsMissing } from './database/rights.ts';
import { requireSameDatabase } from './database/sameDatabase.ts';
import { unavailableReason } from './database/unavailable.ts';
import type { Demo } from './demo/demo.ts';
import type { DEMO_ACCOUNT } from './demo/demoAccount.ts';
import { OperatorError } from './errors.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { drain, IDLE_PATIENCE_MS } from './http/drain.ts';
import { listenAlso } from './http/listeners.ts';
import { createAccountKeys } from './signIn/accountKeys.ts';
import { watchNetworks } from './signIn/guessingAlarm.ts';
import { createSessions } from './signIn/sessions.ts';
import { signingKeys } from './signIn/signedJwt.ts';
import { createSignIn } from './signIn/signIn.ts';
import { streamAt } from './streamTokens/createStreamToken.ts';
import { createTokenPages } from './streamTokens/ledgerPages.ts';
import { createStreamProvider } from './streamTokens/provider.ts';
import { createTokenLedger } from './streamTokens/tokenLedger.ts';
import { createTokenLimits, type TokenLimits } from './streamTokens/tokenLimits.ts';

export type StartContext = {
  log: Logger;
  /** Receives a cleanup function for each part that is opened. */
  cleanup: CleanupStack;
  /** Aborted when the process is to stop. */
  signal: AbortSignal;
};

export type StartedServer = {
  address: string;
  /** Null without metrics. */
  metricsAddress: string | null;
  streamBaseUrl: string;
  /** Null when the configuration is complete. */
  demo: Demo | null;
  /** Null unless the embedded database is used. */
  demoAccount: typeof DEMO_ACCOUNT | null;
};

/**
 * Opens everything in order and listens. Stops at the next step once shutdown is requested.
 * @param options.tokenLimits - the usual ones by default
 * @throws {OperatorError} or an error of the system or database, which `startFailure` explains; the abort reason on shutdown
 */
export async function startServer(
  config: Config,
  context: StartContext,
  { tokenLimits, clock = () => new Date() }: { tokenLimits?: TokenLimits; clock?: () => Date } = {},
): Promise<StartedServer> {
  const { log, cleanup, signal } = context;
  const [host = config.host, ...otherAddresses] = await addressesOf('HOST', config.host);

  // Opened first and so closed last: metrics can be read until everything else is closed.
  const metrics = config.metrics && (await openMetrics(config.metrics, context));
  signal.throwIfAborted();

  const { world, demo } = await openWorld(config, context);
  const authSignParameter = authSignParameterOf(world.streamBaseUrl);
  if (authSignParameter === null) throw new Error('The configuration was not checked');

  await requireSameDatabase(world.databaseUrl, config.directDatabaseUrl);
  signal.throwIfAborted();
  const { url: directUrl, variable } = directDatabase(config, world.databaseUrl);
  await applyMigrations(directUrl, { onWarning: (message) => log.warn(message), variable, signal });
  signal.throwIfAborted();

  const database = openDatabase(world.databaseUrl, {
    onConnectionLost: (error) => {
      metrics?.onConnectionLost();
      log.warn({ reason: unavailableReason(error) }, 'a database connection was lost');
    },
    onUnlimited: () =>
      log.warn('PostgreSQL does not end slow statements, as a pooler in between does not ask it to'),
  });
  cleanup.defer(() => database.close());
  // The database has answered by now. An outage that begins here does not stop the start; /readyz reports it.
  await database.ping().catch((error) => {
    if (error instanceof RightsMissing) throw error;
  });
  signal.throwIfAborted();
  await warnOfClock(database.prisma, { clock, log });

  const provider = createStreamProvider({
    tokenUrl: world.providerTokenUrl,
    authSignParameter,
    log,
    observer: metrics?.provider,
  });
  cleanup.defer(() => provider.close());
  const accountKeys = createAccountKeys(database.prisma, clock);
  metrics?.watch({ database, provider, accountKeys });

  let demoAccount: StartedServer['demoAccount'] = null;
  if (demo !== null && demo.databaseFolder !== null) {
    const { ensureDemoAccount } = await import('./demo/demoAccount.ts');
    demoAccount = await ensureDemoAccount(database.prisma);
    signal.throwIfAborted();
  }

  // Registered here to end after the requests and before the database, although pruning starts last.
  let stopPruning = async () => {};
  cleanup.defer(() => stopPruning());

  const keys = signingKeys(world.jwtSecret, config.previousJwtSecret);
  const sessions = createSessions(database.prisma, keys, clock);
  const signInObserver = watchNetworks({
    clock,
    onManyNetworks: (account) => {
      metrics?.onManyNetworks();
      log.warn({ account }, 'sign-ins to one account fail from many networks');
    },
  });
  const clientFolder = path.join(PROJECT_ROOT, 'dist', 'client');
  const app = await createApp({
    services: {
      signIn: createSignIn({ prisma: database.prisma, sessions, keys, clock, observer: signInObserver }),
      sessions,
      accountKeys,
      provider,
      stream: streamAt(world.streamBaseUrl),
      ledger: createTokenLedger(database.prisma),
      readTokenPage: createTokenPages(database.prisma),
      limitTokens: createTokenLimits(tokenLimits),
      clock,
    },
    database,
    logger: log,
    sandbox: config.apolloSandbox ? { credentials: demoAccount } : null,
    trustProxy: config.trustProxy,
    clientFolder: existsSync(clientFolder) ? clientFolder : null,
    pageConfig: config,
    observer: metrics?.requests,
  });
  let otherListeners: TcpServer[] = [];
  cleanup.defer(async (stopSignal) => {
    // A person who presses Ctrl-C does not wait for idle browsers.
    const idlePatienceMs = stopSignal === 'SIGTERM' ? IDLE_PATIENCE_MS : 0;
    const allAnswered = await drain(app.server, idlePatienceMs, otherListeners);
    if (!allAnswered) log.warn('requests that took too long were cut off');
    await app.close();
  });
  signal.throwIfAborted();

  await database.warmUp();
  signal.throwIfAborted();

  const address = await app.listen({ host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  otherListeners = await listenAlso(app.server, { addresses: otherAddresses, port });
  // The log accepts every line only now, so that no deletion goes unlogged.
  stopPruning = pruneHourly(async () => {
    const now = await databaseTime(database.prisma);
    return deleteExpiredRows(database.prisma, { now, ledgerDays: config.tokenLedgerDays });
  }, log);
  return {
    address,
    metricsAddress: metrics?.address ?? null,
    streamBaseUrl: world.streamBaseUrl,
    demo,
    demoAccount,
  };
}

/** Returns the configured world, completed by the demo's parts where some are not set. */
async function openWorld(
  config: Config,
  { cleanup, signal }: StartContext,
): Promise<{ world: World; demo: Demo | null }> {
  const world = completeWorld(config.world);
  if (world !== null) return { world, demo: null };
  const { openDemo } = await loadDemo(() => import('./demo/demo.ts'), missingVariables(config.world));
  const { host, port: appPort } = config;
  const demo = await openDemo(config.world, { host, appPort, onClose: cleanup.defer, signal });
  return { world: demo.world, demo };
}

/** Looks a host up before anything is opened; otherwise an unknown name would look like a fault of the database. */
async function addressesOf(variable: string, host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => {
    throw new OperatorError(`${variable} is ${host}, which is no address or name of this machine.`);
  });
  return [...new Set(found.map(({ address }) => address))];
}

/** Warns when the clocks of this machine and of the database differ by more than a minute. */
async function warnOfClock(
  prisma: PrismaClient,
  { clock, log }: { clock: () => Date; log: Logger },
): Promise<void> {
  const compared = await compareClocks(() => databaseTime(prisma), clock).catch(() => null);
  if (compared === null || compared.warning === null) return;
  const { warning, ...times } = compared;
  log.warn(times, warning);
}

/** Loads the modules for metrics only when metrics are configured. */
async function openMetrics(at: { host: string; port: number }, { log, cleanup }: StartContext) {
  await addressesOf('METRICS_HOST', at.host);
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./observing/metrics.ts'),
    import('./observing/metricsServer.ts'),
  ]);
  const metrics = createMetrics();
  const { address, close } = await serveMetrics(metrics, { ...at, log });
  cleanup.defer(close);
  return { ...metrics, address };
}
