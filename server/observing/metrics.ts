import { ApolloServerErrorCode } from '@apollo/server/errors';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SECOND_MS } from '../../shared/durations.ts';
import { OPERATION_CODES } from '../../shared/errorCodes.ts';
import { GRAPHQL_PATH, LIVE_PATH } from '../../shared/paths.ts';
import { ownVersion } from '../config/installation.ts';
import type { Database } from '../database/database.ts';
import type { KeySessions } from '../keys/keySessions.ts';
import { MAX_FAILING_NETWORKS } from '../signIn/guessingAlarm.ts';
import { SIGN_IN_WINDOW_MINUTES } from '../signIn/signInLimits.ts';
import { PROVIDER_FAILURE_KINDS } from '../streamTokens/providerErrors.ts';
import {
  BREAKER_STATES,
  type BreakerState,
  type ProviderObserver,
  TOKEN_FAULTS,
} from '../streamTokens/streamProvider.ts';
import type { AccountKeyName, RequestObserver } from './requestLog.ts';

/*
 * No ready-made plugin counts what the alerts need: the outcomes of operations, the provider's failures and its
 * breaker.
 */

export type Metrics = {
  requests: RequestObserver;
  provider: ProviderObserver;
  onConnectionLost(): void;
  onManyNetworks(): void;
  onPruned(): void;
  watch(sources: {
    database: Pick<Database, 'connections' | 'ping'>;
    provider: { breakerState(): BreakerState };
    keySessions: Pick<KeySessions, 'countEnding' | 'listNames'>;
    accounts: { countEnding(): Promise<number> };
    clock(): Date;
    clockDifferenceMs(): Promise<number>;
  }): void;
  collect(): Promise<{ text: string; contentType: string }>;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'];

const OPERATIONS = [
  ...['login', 'createToken', 'logout', 'session', 'stream', 'tokens', 'keys', 'serverTime', 'notice'],
  ...['live', 'several', 'introspection', 'none'],
];
const CODES = new Set<string>([...OPERATION_CODES, ...Object.values(ApolloServerErrorCode)]);

/**
 * Creates the metrics of this process (docs/night.md). A label has a few fixed values, or is the name that the operator
 * gave a key, with its account's id. No label holds a company, an address or a client's text.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, labelNames: string[], help: string) =>
    new Histogram({ name, help, labelNames, buckets: SECONDS, registers });
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const databaseGauge = (name: string, help: string, read: () => Promise<number>) =>
    gauge(name, `${help}; NaN while the database does not answer`, () => read().catch(() => Number.NaN));

  new Gauge({ name: 'audio_build_info', help: 'Always 1', labelNames: ['version'], registers }).set(
    { version: ownVersion() },
    1,
  );
  const httpDurations = histogram(
    'http_request_duration_seconds',
    ['method', 'route', 'status'],
    'Time to answer a request, by the route that it took; status is none where the caller left',
  );
  const operations = counter(
    'audio_operations_total',
    ['operation', 'outcome'],
    'GraphQL operations by their field, and tokens for players as live, by outcome: success, or the code of the failure',
  );
  const operationDurations = histogram(
    'audio_operation_duration_seconds',
    ['operation'],
    'Time of a GraphQL operation',
  );
  const providerDurations = histogram(
    'audio_provider_request_duration_seconds',
    [],
    'Time of the media provider to answer, or to be given up',
  );
  const providerFailures = counter(
    'audio_provider_failures_total',
    ['kind'],
    'Tokens that the media provider did not give, by what went wrong',
  );
  const tokenFaults = counter(
    'audio_provider_token_faults_total',
    ['fault'],
    'Tokens of the media provider that may not play from where partners are, or not as long as they are told, by why; one token may have several',
  );
  const connectionsLost = counter(
    'audio_database_connections_lost_total',
    [],
    'Idle connections to the database that broke',
  );
  const manyNetworks = counter(
    'audio_sign_ins_from_many_networks_total',
    [],
    `Times that sign-ins to one account failed from more than ${MAX_FAILING_NETWORKS} networks within ${SIGN_IN_WINDOW_MINUTES} minutes`,
  );
  const keyRequests = counter(
    'audio_key_requests_total',
    ['account', 'key', 'outcome'],
    'Operations asked with a key, by the name that the operator gave it, and their outcome',
  );
  const openings = counter(
    'audio_live_openings_total',
    ['account', 'key'],
    "Redirects of players to the stream, by the key's name; openings within a minute share one token",
  );
  const pruned = new Gauge({
    name: 'audio_pruned_timestamp_seconds',
    help: 'When this instance last deleted the expired rows of every table; 0 before the first time',
    registers,
  });
  let listKeys: () => Promise<AccountKeyName[]> = async () => [];
  // From 0, so that the first of a kind counts as an increase.
  for (const operation of OPERATIONS) {
    for (const code of [null, ...CODES]) operations.inc({ operation, outcome: outcomeLabel(code) }, 0);
  }
  for (const kind of PROVIDER_FAILURE_KINDS) providerFailures.inc({ kind }, 0);
  for (const fault of TOKEN_FAULTS) tokenFaults.inc({ fault }, 0);
  for (const route of [GRAPHQL_PATH, `${LIVE_PATH}*`]) {
    httpDurations.zero({ method: route === GRAPHQL_PATH ? 'POST' : 'GET', route, status: '429' });
  }

  return {
    requests: {
      onAnswer({ method, route, status, durationMs }) {
        const labels = {
          method: METHODS.includes(method) ? method : 'other',
          route: routeLabel(route),
          status: status ?? 'none',
        };
        httpDurations.observe(labels, durationMs / SECOND_MS);
      },
      onOperation({ fields, code, durationMs, key }) {
        const operation = operationLabel(fields);
        const outcome = outcomeLabel(code);
        operations.inc({ operation, outcome });
        if (key !== null) keyRequests.inc({ ...key, outcome });
        operationDurations.observe({ operation }, durationMs / SECOND_MS);
      },
      onOpening: (key) => openings.inc(key),
    },
    provider: {
      onAsked: (durationMs) => providerDurations.observe(durationMs / SECOND_MS),
      onFailure: (kind) => providerFailures.inc({ kind }),
      onTokenFault: (fault) => tokenFaults.inc({ fault }),
    },
    onConnectionLost: () => connectionsLost.inc(),
    onManyNetworks: () => manyNetworks.inc(),
    onPruned: () => pruned.setToCurrentTime(),
    watch({ database, provider, keySessions, accounts, clock, clockDifferenceMs }) {
      listKeys = () => keySessions.listNames().catch(() => []);
      gauge('audio_time_seconds', "This instance's clock", () => clock().getTime() / SECOND_MS);
      new Gauge({
        name: 'audio_provider_breaker_state',
        help: "1 for the state of the media provider's circuit breaker: open asks nothing, half_open tries one call",
        labelNames: ['state'],
        registers,
        collect() {
          const current = provider.breakerState();
          for (const state of BREAKER_STATES) this.set({ state }, state === current ? 1 : 0);
        },
      });
      const connections = (name: string, help: string, of: keyof ReturnType<Database['connections']>) =>
        gauge(name, help, () => database.connections()[of]);
      connections('audio_database_connections', 'Connections to the database', 'total');
      connections('audio_database_connections_idle', 'Of them, those not in use', 'idle');
      connections('audio_database_connections_max', 'How many there may be', 'max');
      connections('audio_database_queries_waiting', 'Queries that wait for a connection', 'waiting');
      databaseGauge('audio_keys_ending', 'Keys that end within 30 days', () => keySessions.countEnding());
      databaseGauge('audio_accounts_ending', 'Accounts that end within 30 days', () =>
        accounts.countEnding(),
      );
      databaseGauge(
        'audio_clock_difference_seconds',
        "This instance's clock less the database's",
        async () => (await clockDifferenceMs()) / SECOND_MS,
      );
      // Collected last, because its own ping would show in the figures above.
      gauge(
        'audio_database_up',
        '1 if the database answered this instance just now and lets it change rows, else 0',
        () =>
          database.ping().then(
            () => 1,
            () => 0,
          ),
      );
    },
    async collect() {
      for (const key of await listKeys()) keyRequests.inc({ ...key, outcome: outcomeLabel(null) }, 0);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

function routeLabel(route: string | undefined): string {
  if (route === undefined) return 'unknown';
  return route.startsWith('/assets/') ? '/assets/*' : route;
}

function outcomeLabel(code: string | null): string {
  return code?.toLowerCase() ?? 'success';
}

function operationLabel(fields: string[]): string {
  const asked = fields.filter((field) => !field.startsWith('__'));
  // Beside another field the time costs nothing.
  const ours = asked.length > 1 ? asked.filter((field) => field !== 'serverTime') : asked;
  if (ours.length > 1) return 'several';
  return ours[0] ?? (fields.length > 0 ? 'introspection' : 'none');
}
