import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { countEndingAccounts } from '../accounts/accountState.ts';
import { createApp } from '../app.ts';
import {
  authSignParameterOf,
  CREDENTIALS_IN_ADDRESS,
  holdsCredentials,
  requireKnownHost,
} from '../config/addresses.ts';
import {
  type Config,
  directDatabase,
  isComplete,
  loadDemo,
  missingVariables,
  type RequiredSettings,
} from '../config/config.ts';
import { PROJECT_ROOT } from '../config/folders.ts';
import { proxyFor, proxyName } from '../config/proxies.ts';
import { compareClocks, readDatabaseTime } from '../database/clock.ts';
import { requireSameDatabase } from '../database/connection.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts';
import { unavailableInWords } from '../database/databaseErrors.ts';
import { createPruner, prune } from '../database/expiredRows.ts';
import { applyMigrations } from '../database/migrations/migrations.ts';
import type { DEMO_ACCOUNT, Demo } from '../demo/demo.ts';
import { drain, IDLE_PATIENCE_MS } from '../http/drain.ts';
import type { Metrics } from '../observing/metrics.ts';
import { type OpenMetrics, openMetrics } from '../observing/metricsServer.ts';
import { createServices } from '../services.ts';
import { createGuessingAlarm, type SignInObserver } from '../signIn/guessingAlarm.ts';
import { jwtSecrets } from '../signIn/signedJwt.ts';
import { createStreamProvider } from '../streamTokens/streamProvider.ts';
import type { TokenLimits } from '../streamTokens/tokenLimits.ts';
import type { StartContext } from './lifetime.ts';

type StartOptions = {
  tokenLimits?: TokenLimits;
  clock?: () => Date;
  onDatabaseLost?: () => void;
};

export type StartedServer = {
  address: string;
  metricsAddress: string | null;
  streamBaseUrl: string;
  /** The proxy between this server and the provider, without its credentials; null without one. */
  proxy: string | null;
  demo: Demo | null;
  demoAccount: typeof DEMO_ACCOUNT | null;
};

/**
 * Opens everything in order and listens. Stops at the next step once the end is requested.
 * @throws {OperatorError} or an error of the system or database, which `explainStartError` explains; the abort reason
 *   on shutdown
 */
export async function startServer(
  config: Config,
  context: StartContext,
  { tokenLimits, clock = () => new Date(), onDatabaseLost }: StartOptions = {},
): Promise<StartedServer> {
  const { log, lifetime } = context;
  const { signal } = lifetime;
  await requireKnownHost('HOST', config.host);

  // Created first and so closed last: metrics can be read until everything else is closed.
  const metrics = config.metrics && (await openMetrics(config.metrics, context));
  signal.throwIfAborted();

  const { settings, demo } = await completeSettings(config, context, onDatabaseLost);
  if (holdsCredentials(settings.streamBaseUrl)) {
    log.warn(CREDENTIALS_IN_ADDRESS);
  }
  const database = await migrateAndOpenDatabase(config, settings, metrics, context);
  const demoAccount = demo?.database ? await addDemoAccount(database, clock()) : null;
  signal.throwIfAborted();

  const provider = createStreamProvider({
    tokenUrl: settings.providerTokenUrl,
    authSignParameter: authSignParameterOf(settings.streamBaseUrl),
    log,
    observer: metrics?.provider,
    clock,
    proxies: config.proxies,
  });
  lifetime.defer(() => provider.close());
  const services = createServices({
    prisma: database.prisma,
    secrets: jwtSecrets(settings.jwtSecret, config.previousJwtSecret),
    provider,
    streamBaseUrl: settings.streamBaseUrl,
    clock,
    signIn: { observer: guessingWarnings(log, metrics, clock) },
    tokenLimits,
  });
  metrics?.watch({
    database,
    provider,
    keySessions: services.keySessions,
    accounts: { countEnding: () => countEndingAccounts(database.prisma, clock()) },
    clock,
    clockDifferenceMs: async () =>
      (await compareClocks(() => readDatabaseTime(database.prisma), clock)).differenceMs,
  });
  const ledgerDays = config.tokenLedgerDays;
  const pruner = createPruner(
    (stopSignal) => prune(database.prisma, { ledgerDays, clock, log, signal: stopSignal }),
    log,
    metrics?.onPruned,
  );
  // Deferred here to stop after the requests and before the database.
  lifetime.defer(() => pruner.stop());

  const clientFolder = path.join(PROJECT_ROOT, 'dist', 'client');
  const app = await createApp({
    services,
    database,
    logger: log,
    sandbox: config.apolloSandbox ? { credentials: demoAccount } : null,
    trustProxy: config.trustProxy,
    clientFolder: existsSync(clientFolder) ? clientFolder : null,
    pageConfig: config,
    observer: metrics?.requests,
  });
  lifetime.defer(async (processSignal) => {
    // A person who presses Ctrl-C does not wait for idle browsers.
    const allAnswered = await drain(app.server, processSignal === 'SIGTERM' ? IDLE_PATIENCE_MS : 0);
    if (!allAnswered) log.warn('requests that took too long were cut off');
    await app.close();
  });
  await database.warmUp();
  signal.throwIfAborted();

  // Not before: Prometheus would take an instance that cannot start for one that is up.
  const metricsAddress = (await metrics?.listen()) ?? null;
  const address = await app.listen({ host: config.host, port: config.port });
  // Raised only now, since Fastify logs that it listens; but before the pruner, whose deletions are all logged.
  if (config.production) log.level = 'info';
  pruner.start();
  const proxy = proxyFor(settings.providerTokenUrl, config.proxies);
  if (proxy !== null) log.info(`the media provider is asked through ${proxyName(proxy)}`);
  return {
    address,
    metricsAddress,
    streamBaseUrl: settings.streamBaseUrl,
    proxy: proxy && proxyName(proxy),
    demo,
    demoAccount,
  };
}

export function databaseWarnings(
  log: Logger,
  metrics: Metrics | null,
): Pick<DatabaseOptions, 'onConnectionLost' | 'onWarning'> {
  return {
    onConnectionLost: (error) => {
      metrics?.onConnectionLost();
      log.warn({ reason: unavailableInWords(error) }, 'a database connection was lost');
    },
    onWarning: (warning) => log.warn(warning),
  };
}

async function completeSettings(
  { given, host, port: appPort }: Config,
  { lifetime: { defer, signal } }: StartContext,
  onDatabaseLost: (() => void) | undefined,
): Promise<{ settings: RequiredSettings; demo: Demo | null }> {
  if (isComplete(given)) return { settings: given, demo: null };
  const { openDemo } = await loadDemo(() => import('../demo/demo.ts'), missingVariables(given));
  const demo = await openDemo(given, { host, appPort, onClose: defer, onDatabaseLost, signal });
  return { settings: demo.settings, demo };
}

async function migrateAndOpenDatabase(
  config: Config,
  { databaseUrl }: RequiredSettings,
  metrics: OpenMetrics | null,
  { log, lifetime }: StartContext,
): Promise<Database> {
  const { signal } = lifetime;
  await requireSameDatabase(databaseUrl, config.directDatabaseUrl, signal);
  signal.throwIfAborted();
  const { url, variable } = directDatabase(config, databaseUrl);
  const applied = await applyMigrations(url, { onWarning: (message) => log.warn(message), variable, signal });
  // The log itself is raised to `info` only once the server listens.
  const startLog = log.child({}, { level: config.production ? 'info' : log.level });
  for (const migration of applied) startLog.info({ migration }, 'a migration was applied');
  signal.throwIfAborted();
  const database = openDatabase(databaseUrl, databaseWarnings(log, metrics));
  lifetime.defer(() => database.close());
  return database;
}

async function addDemoAccount({ prisma }: Database, now: Date): Promise<StartedServer['demoAccount']> {
  const { ensureDemoAccount } = await import('../demo/demo.ts');
  return ensureDemoAccount(prisma, now);
}

function guessingWarnings(log: Logger, metrics: Metrics | null, clock: () => Date): SignInObserver {
  return createGuessingAlarm({
    clock,
    onManyNetworks: (account) => {
      metrics?.onManyNetworks();
      log.warn({ account }, 'sign-ins to one account fail from many networks');
    },
  });
}
