import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { createMetrics } from '../../server/observing/metrics.ts';

type Panel = {
  title: string;
  type: string;
  description?: string;
  targets?: Array<{ expr: string; instant?: boolean }>;
  fieldConfig?: { defaults: { noValue?: string; thresholds: { steps: Array<{ value: number | null }> } } };
};

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const alerts: Array<{ alert: string; expr: string }> = parse(read('deploy/alerts.yml')).groups[0].rules;
const panels: Panel[] = JSON.parse(read('deploy/grafana-dashboard.json')).panels;
const expressions = [...alerts, ...panels.flatMap(({ targets = [] }) => targets)].map(({ expr }) => expr);
/** Written for Prometheus's node exporter, not scraped from an instance. */
const isWrittenByScript = (metric: string) => /^audio_(?:backup|certificate|monitor)_/.test(metric);
let scrape: string;

beforeAll(async () => {
  const metrics = createMetrics();
  metrics.watch({
    database: { connections: () => ({ total: 1, idle: 1, waiting: 0, max: 10 }), ping: async () => {} },
    provider: { breakerState: () => 'closed' },
    keySessions: { countEnding: async () => 0, listNames: async () => [] },
    clock: () => new Date(),
    accounts: { countEnding: async () => 0 },
    clockDifferenceMs: async () => 0,
  });
  const key = { account: 'id', key: 'monitor' };
  metrics.requests.onOperation({ fields: ['createToken'], code: null, key, durationMs: 20 });
  scrape = (await metrics.collect()).text;
});

test('docs/night.md explains each alert, and panels name no other', () => {
  const names = alerts.map(({ alert }) => alert);
  const explained = [...read('docs/night.md').matchAll(/^\| `(Audio\w+)` \|/gm)].map(([, name]) => name);
  expect(explained).toEqual(names);
  const shown = panels.flatMap(({ description }) => description?.match(/\bAudio\w+/g) ?? []);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((name) => !names.includes(name))).toEqual([]);
});

test('alerts and panels ask only for metrics that a scrape has', () => {
  const asked = expressions.flatMap(
    (expr) => expr.match(/\b(?:audio|http|nodejs|process)_[a-z\d_]+\b/g) ?? [],
  );
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.filter((metric) => !isWrittenByScript(metric) && !isScraped(metric))).toEqual([]);
});

test('alerts and panels ask only for labels that those metrics have', () => {
  const selectors = expressions.flatMap((expr) => [...expr.matchAll(/(\w+)\{([^}]*)\}/g)]);
  const asked = selectors.flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(?:=~|=|!=)"([^"]*)"/g)].flatMap(([, label = '', values = '']) =>
      values.split('|').map((value) => ({ metric, label, value })),
    ),
  );
  // Prometheus adds the job.
  const ours = asked.filter(({ label }) => label !== 'job');
  expect(ours.length).toBeGreaterThan(20);
  const missing = ours.filter(
    ({ metric, label, value }) => !new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, 'm').test(scrape),
  );
  expect(missing).toEqual([]);
});

test.each([
  ['Tokens that fail', 0.1, '> 0.1'],
  ['Time of the media provider', 2, '> 2'],
  ['Queries that wait for a database connection', 1, '> 0'],
  ['Delay of the event loop', 0.25, '> 0.25'],
  ['Memory', 500e6, '> 500e6'],
  ['Difference of the clocks', 60, '> 60'],
  ['Since expired rows were last deleted', 3 * 3600, '> 3 * 3600'],
  ['Keys that end within 30 days', 1, '> 0'],
  ['Accounts that end within 30 days', 1, '> 0'],
])('"%s" shows %s as its limit, as its alert has it', (title, threshold, comparison) => {
  const panel = panels.find((each) => each.title === title);
  expect(panel?.fieldConfig?.defaults.thresholds.steps.at(-1)?.value).toBe(threshold);
  const alert = alerts.find((each) => panel?.description?.includes(`Alert: ${each.alert}.`));
  expect(alert?.expr).toContain(comparison);
});

test('a panel of one figure asks for the present one, and says when there is none', () => {
  const stats = panels.filter(({ type }) => type === 'stat');
  expect(stats).toHaveLength(7);
  for (const { targets = [], fieldConfig } of stats) {
    expect(targets.every(({ instant }) => instant)).toBe(true);
    expect(fieldConfig?.defaults.noValue).toMatch(/\w/);
  }
});

function isScraped(metric: string): boolean {
  return new RegExp(`^${metric}(\\{| )`, 'm').test(scrape) || scrape.includes(`# TYPE ${metric} `);
}
