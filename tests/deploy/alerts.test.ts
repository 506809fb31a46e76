import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import { freePort } from '../support/freePort.ts';
import { samplesOf } from '../support/samples.ts';
import {
  BUILT,
  becomesReady,
  launchServer,
  type ServerProcess,
  stopServer,
} from '../support/serverProcess.ts';
import { startServerHere } from '../support/startedServer.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts';
import { LOGIN, STREAM_BASE_URL } from '../support/testApp.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { inputSeries, RULES, runRuleTests, type Series } from './promtool.ts';

const tokens = (outcome: string) => `audio_operations_total{operation="createToken",outcome="${outcome}"}`;
const signIns = (outcome: string) => `audio_operations_total{operation="login",outcome="${outcome}"}`;
const providerFailures = (kind: string) => `audio_provider_failures_total{kind="${kind}"}`;
const tokenFaults = (fault: string) => `audio_provider_token_faults_total{fault="${fault}"}`;
const version = (name: string) => `audio_build_info{instance="${name}",version="${name}"}`;
const MONITOR = 'audio_key_requests_total{key="monitor",outcome="success"}';
const CLOCK_DIFFERENCE = 'audio_clock_difference_seconds{job="audio"}';
const TIME = 'audio_time_seconds{job="audio"}';
const CLOSED = 'audio_provider_breaker_state{state="closed"}';
const SLOWER_THAN_2S = 'audio_provider_request_duration_seconds_bucket{le="2.5"}';
const WITHIN_1S = 'audio_provider_request_duration_seconds_bucket{le="1"}';
const certificate = (name: string) => `audio_certificate_expiry_timestamp_seconds{name="${name}"}`;
const days = (count: number) => `${count * 86_400}x120`;
const AS_USUAL = '0+10x120';
const NEVER = '0x120';

/** Series at whose end an alert fires, and others during which it never does. They are two hours long. */
type Case = { fires: Series[]; quiet: Series[] };

/** The case of an alert that looks at one series, and is quiet beside others. */
const one = (series: string, fires: string, quiet: string, beside: Series = {}): Case => ({
  fires: [{ [series]: fires }],
  quiet: [{ [series]: quiet, ...beside }],
});
const SUCCESSES = { [tokens('success')]: AS_USUAL };
const TIMEOUTS = { [providerFailures('timeout')]: AS_USUAL };

const durations = (within1s: string): Series => ({
  [WITHIN_1S]: within1s,
  [SLOWER_THAN_2S]: AS_USUAL,
  [SLOWER_THAN_2S.replace('2.5', '+Inf')]: AS_USUAL,
});

const CASES: Record<string, Case> = {
  AudioInstanceDown: {
    fires: [{ 'up{job="audio"}': '1x50 0x70' }, {}],
    quiet: [{ 'up{job="audio"}': '1x120' }],
  },
  AudioTokensFail: {
    fires: [{ [tokens('success')]: '0+8x120', [tokens('provider_unavailable')]: '0+2x120' }],
    quiet: [
      { [tokens('success')]: '0+8x120', [tokens('rate_limited')]: AS_USUAL },
      { [tokens('success')]: NEVER, [tokens('provider_unavailable')]: '0x100 1x20' },
    ],
  },
  AudioSomeTokensFail: {
    fires: [
      // One in four, at night.
      { [tokens('success')]: growing(5, 24), [tokens('provider_unavailable')]: growing(15, 8) },
      // Two in each five minutes, beside as many that succeed.
      { [tokens('success')]: growing(5, 24, 2), [tokens('database_unavailable')]: growing(5, 24, 2) },
    ],
    quiet: [
      { [tokens('success')]: growing(5, 24), [tokens('provider_unavailable')]: '0x60 1x30 2x30' },
      { [tokens('success')]: AS_USUAL, [tokens('provider_unavailable')]: growing(2, 60) },
    ],
  },
  AudioNoTokens: {
    fires: [{ [tokens('success')]: '0+1x50 50x70', [tokens('provider_unavailable')]: '0x50 0+1x70' }],
    quiet: [{ [tokens('success')]: NEVER, [tokens('provider_unavailable')]: NEVER }],
  },
  AudioMonitorSilent: {
    // Nothing arrives any more, or the monitor was never set up.
    fires: [{ [MONITOR]: '0 1x4 2x4 3x110' }, {}],
    quiet: [{ [MONITOR]: growing(5, 24) }],
  },
  AudioNoSound: {
    // An hour ago, never, or nobody writes it.
    fires: [
      { audio_monitor_success_timestamp_seconds: '0+60x60 3600x60' },
      { audio_monitor_success_timestamp_seconds: NEVER },
      {},
    ],
    // One try of two hears silence.
    quiet: [{ audio_monitor_success_timestamp_seconds: growing(10, 12, 600) }],
  },
  AudioProviderAbsent: {
    fires: [{ [CLOSED]: '1x90 0x30', [providerFailures('timeout')]: '0+1x120' }],
    quiet: [{ [CLOSED]: '0x120', [providerFailures('timeout')]: NEVER }],
  },
  AudioProviderChanged: one(providerFailures('answer'), '0+1x120', '0x100 1x20', TIMEOUTS),
  AudioProviderCredentials: one(providerFailures('credentials'), '0x119 1', NEVER, TIMEOUTS),
  AudioProviderTokens: {
    // The monitor's alone.
    fires: [{ [tokenFaults('address')]: growing(5, 24) }],
    quiet: [{ [tokenFaults('repeated')]: '0x60 1x30 2x30', [tokenFaults('address')]: NEVER }],
  },
  AudioProviderSlow: { fires: [durations('0+8x120')], quiet: [durations(AS_USUAL)] },
  AudioDatabaseDown: one('audio_database_up{job="audio"}', '1x115 0x5', '1x120'),
  AudioDatabaseUnavailable: {
    // A refusal every three minutes, which no partner would call an outage.
    fires: [{ [tokens('database_unavailable')]: growing(3, 40), ...SUCCESSES }],
    quiet: [{ [tokens('database_unavailable')]: '0x60 1x30 2x30', ...SUCCESSES }],
  },
  AudioDatabaseUnsteady: {
    // Two refusals in each ten minutes.
    fires: [{ [tokens('database_unavailable')]: growing(5, 24), ...SUCCESSES }],
    // An outage of a quarter of an hour, and one refusal an hour later.
    quiet: [{ [tokens('database_unavailable')]: '0x20 0+10x15 150x50 160x30', ...SUCCESSES }],
  },
  AudioDatabasePoolFull: one('audio_database_queries_waiting', '2x120', '0 2 0 0 2 2 0x114'),
  AudioSignInsRefused: {
    fires: [{ [signIns('invalid_credentials')]: '0+60x120', [signIns('success')]: '0+1x120' }],
    quiet: [{ [signIns('invalid_credentials')]: AS_USUAL, [signIns('success')]: AS_USUAL }],
  },
  AudioAccountGuessed: one('audio_sign_ins_from_many_networks_total', '0x119 1', '3x120'),
  AudioKeysEnd: one('audio_keys_ending', '2x120', '0x120'),
  AudioAccountsEnd: one('audio_accounts_ending', '1x120', '0x120'),
  AudioMistakeOfOurs: one(tokens('internal_server_error'), '0x119 1', NEVER, SUCCESSES),
  AudioInstanceBusy: one('nodejs_eventloop_lag_p99_seconds{job="audio"}', '0.3x120', '0.02x100 0.4 0.02x19'),
  AudioMemoryGrows: one(
    'process_resident_memory_bytes{job="audio"}',
    '600000000x120',
    '300000000x110 600000000x10',
  ),
  AudioRestarts: one('process_start_time_seconds{job="audio"}', '0+60x120', '0x60 3600x60'),
  AudioPruningStopped: one('audio_pruned_timestamp_seconds', '-14400x120', '0+60x120'),
  AudioClockDiffers: {
    // Both clocks five minutes ahead, or behind.
    fires: [
      { [CLOCK_DIFFERENCE]: '-7200x120' },
      { [CLOCK_DIFFERENCE]: '0x120', [TIME]: '300+60x120' },
      { [CLOCK_DIFFERENCE]: '0x120', [TIME]: '-300+60x120' },
    ],
    quiet: [{ [CLOCK_DIFFERENCE]: '0.4x120', [TIME]: '0.2+60x120' }],
  },
  AudioBackupOld: {
    // 37 hours ago, in tests whose clock starts at 0.
    fires: [{ audio_backup_timestamp_seconds: '-133200x120' }, {}],
    quiet: [{ audio_backup_timestamp_seconds: '-86400x60 0x60' }],
  },
  AudioBackupInFuture: one('audio_backup_timestamp_seconds', '86400x120', '0x120'),
  // 16 days ago, and 13.
  AudioBackupNotRestored: one('audio_backup_restored_timestamp_seconds', '-1382400x120', '-1123200x120'),
  AudioBackupNotCopied: {
    fires: [{ audio_backup_copied_timestamp_seconds: '-133200x120' }, {}],
    quiet: [{ audio_backup_copied_timestamp_seconds: '-86400x60 0x60' }],
  },
  // Of two public names one.
  AudioCertificateEnds: {
    fires: [{ [certificate('a')]: days(20), [certificate('b')]: days(80) }],
    quiet: [{ [certificate('a')]: days(22) }],
  },
  AudioCertificateEndsNow: one(certificate('a'), days(1.9), days(2.5)),
  AudioCertificateUnknown: { fires: [{}], quiet: [{ [certificate('a')]: days(80) }] },
  AudioVersionsDiffer: {
    fires: [{ [version('1.2.0')]: '1x120', [version('1.3.0')]: '1x120' }],
    quiet: [{ [version('1.2.0')]: '1x60', [version('1.3.0')]: '_x30 1x90' }],
  },
};

test('each alert of deploy/alerts.yml has its cases', () => {
  expect(Object.keys(CASES)).toEqual(RULES.groups[0].rules.map(({ alert }) => alert));
});

test.each(Object.entries(CASES))(
  '%s fires when it should and else stays quiet',
  (alert, { fires, quiet }) => {
    const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`;
    const after = (series: Series, expression: string, value: 0 | 1) =>
      ruleTest(series, {
        expr: `count(${expression}) > bool 0 or vector(0)`,
        eval_time: '2h',
        exp_samples: [{ labels: '{}', value }],
      });
    const tests = [
      ...fires.map((series) => after(series, firing, 1)),
      ...quiet.map((series) => after(series, `count_over_time(${firing}[2h])`, 0)),
    ];
    expectRulesToPass(tests, new RegExp(`^${alert}$`));
  },
);

describe('an instance whose database accepts connections and never answers', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let instance: ServerProcess;
  let metricsPort: number;

  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await startTcpProxy(Number(new URL(database.url).port));
  });
  afterEach(async () => {
    await stopServer(instance, 'SIGKILL');
    proxy.close();
    await database.drop();
  });

  async function launch(): Promise<number> {
    const port = await freePort();
    metricsPort = await freePort();
    instance = launchServer(BUILT, {
      NODE_ENV: 'production',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: Object.assign(new URL(database.url), { port: proxy.port }).href,
      JWT_SECRET: 'a secret that signs sessions, long enough',
      PROVIDER_TOKEN_URL: 'http://127.0.0.1:9/',
      STREAM_BASE_URL,
    });
    return port;
  }

  test('pages while its starts fail', async () => {
    proxy.set('silent');
    const connected = proxy.connection();
    await launch();
    const exit = once(instance, 'exit');
    await connected;
    const whileItTries = await scrape(metricsPort);
    expect(await exit).toEqual([1, null]);
    const after = await scrape(metricsPort);
    expectAlert('AudioInstanceDown', 'page', [whileItTries, after, whileItTries, after, whileItTries]);
  });

  test('pages while it serves', async () => {
    const port = await launch();
    await becomesReady(instance, port);
    proxy.set('silent');
    expectAlert('AudioDatabaseDown', 'page', Array(5).fill(await scrape(metricsPort)));
  });

  test('pages for the partners it refused, also once the database is back', async () => {
    const port = await launch();
    await becomesReady(instance, port);
    const before = await scrape(metricsPort);
    proxy.set('silent');
    const refusals = await Promise.all(
      ['partner-1', 'partner-2', 'partner-3'].map((name) => signIn(port, name)),
    );
    expect(refusals).toEqual(Array(3).fill('DATABASE_UNAVAILABLE'));
    proxy.set('pass');
    const after = await vi.waitFor(
      async () => {
        const samples = await scrape(metricsPort);
        expect(samples?.get('audio_database_up')).toBe(1);
        return samples;
      },
      { timeout: 60_000 },
    );
    expectAlert('AudioDatabaseUnavailable', 'page', [before, ...Array(4).fill(after)]);
  });
});

test('an instance whose clock is two minutes ahead gives a ticket', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const metricsPort = await freePort();
  const { close } = await startServerHere(database.url, {
    env: { METRICS_PORT: String(metricsPort) },
    clock: () => new Date(Date.now() + 2 * MINUTE_MS),
  });
  onTestFinished(close);
  const samples = await scrape(metricsPort);
  const scrapedAt = Date.now() / SECOND_MS;
  const besideDatabase = new Map(samples);
  besideDatabase.delete('audio_time_seconds');
  expectAlert('AudioClockDiffers', 'ticket', Array(7).fill(besideDatabase));

  const besidePrometheus = (minute: number) => {
    const moved = new Map(samples);
    moved.delete('audio_clock_difference_seconds');
    // The clock of promtool starts in 1970.
    return moved.set(
      'audio_time_seconds',
      (samples?.get('audio_time_seconds') ?? 0) - scrapedAt + minute * 60,
    );
  };
  expectAlert('AudioClockDiffers', 'ticket', [0, 1, 2, 3, 4, 5, 6].map(besidePrometheus));
});

test('AudioCertificateEnds names each public name once', () => {
  const alert = (name: string, days: number) => ({
    exp_labels: { severity: 'ticket', name },
    exp_annotations: { summary: `The certificate of ${name} ends in ${days}d 0h 0m 0s: it is not renewed` },
  });
  const named = {
    eval_time: '0m',
    alertname: 'AudioCertificateEnds',
    exp_alerts: [alert('a.example', 20), alert('b.example', 10)],
  };
  const series = {
    ...{ [certificate('a.example')]: days(20), [certificate('b.example')]: days(10) },
    // Another machine looks at it too.
    [certificate('a.example').replace('}', ',instance="other"}')]: days(21),
  };
  expectRulesToPass([{ input_series: inputSeries(series), alert_rule_test: [named] }]);
});

test('the summary of AudioClockDiffers rounds the difference', () => {
  const instance = '127.0.0.1:14000';
  const rounded = {
    eval_time: '10m',
    alertname: 'AudioClockDiffers',
    exp_alerts: [
      {
        exp_labels: { severity: 'ticket', job: 'audio', instance },
        exp_annotations: {
          summary: `The clock of ${instance} differs by 1m 30s from the database's or Prometheus's`,
        },
      },
    ],
  };
  const series = { [`audio_clock_difference_seconds{instance="${instance}",job="audio"}`]: '-90.4321x10' };
  expectRulesToPass([{ input_series: inputSeries(series), alert_rule_test: [rounded] }]);
});

type Samples = Map<string, number>;

/** Returns null where nobody listens. */
async function scrape(port: number): Promise<Samples | null> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null);
  return response && samplesOf(await response.text());
}

async function signIn(port: number, username: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: LOGIN, variables: { username, password: 'password' } }),
  });
  const { errors } = (await response.json()) as { errors: [{ extensions: { code: string } }] };
  return errors[0].extensions.code;
}

/** Expects that this is the one alert of its severity after scrapes of an instance, one a minute. */
function expectAlert(alert: string, severity: 'page' | 'ticket', scrapes: (Samples | null)[]): void {
  const target = 'instance="127.0.0.1:14000",job="audio"';
  const values = (read: (samples: Samples | null) => number | string) => scrapes.map(read).join(' ');
  const names = new Set(scrapes.flatMap((samples) => [...(samples?.keys() ?? [])]));
  const series: Series = { [`up{${target}}`]: values((samples) => (samples === null ? 0 : 1)) };
  for (const name of names) {
    const [, metric, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
    series[`${metric}{${[labels, target].filter(Boolean).join(',')}}`] = values(
      (samples) => samples?.get(name) ?? 'stale',
    );
  }
  expectRulesToPass([
    ruleTest(series, {
      expr: `count by (alertname) (ALERTS{alertstate="firing",severity="${severity}"})`,
      eval_time: `${scrapes.length - 1}m`,
      exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
    }),
  ]);
}

type Expectation = { expr: string; eval_time: string; exp_samples: Array<{ labels: string; value: number }> };

function ruleTest(series: Series, expectation: Expectation) {
  return { input_series: inputSeries(series), promql_expr_test: [expectation] };
}

function expectRulesToPass(tests: object[], about?: RegExp): void {
  expect(runRuleTests(tests, about)).toEqual([0, expect.stringContaining('SUCCESS')]);
}

/** A counter that grows by `step` every so many minutes. */
function growing(everyMinutes: number, times: number, step = 1): string {
  return Array.from({ length: times }, (_, count) => `${count * step}x${everyMinutes - 1}`).join(' ');
}
