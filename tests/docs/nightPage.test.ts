import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { createMetrics } from '../../server/observing/metrics.ts';
import { SESSION, startTestApp } from '../support/testApp.ts';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const alerts: Array<{ alert: string; expr: string }> = parse(read('deploy/alerts.yml')).groups[0].rules;

/** Written for Prometheus's node exporter, not scraped from an instance. */
const isWrittenByScript = (metric: string) => /^audio_(?:backup|certificate|monitor)_/.test(metric);
let scrape: string;

beforeAll(async () => {
  const metrics = createMetrics();
  const app = await startTestApp({ observer: metrics.requests });
  metrics.watch({
    database: app.database,
    provider: { breakerState: () => 'closed' },
    keySessions: { countEnding: async () => 0, listNames: async () => [] },
    clock: () => new Date(),
    accounts: { countEnding: async () => 0 },
    clockDifferenceMs: async () => 0,
  });
  await app.graphql(SESSION);
  const key = { account: 'id', key: 'monitor' };
  metrics.requests.onOperation({ fields: ['createToken'], code: null, key, durationMs: 20 });
  scrape = await vi.waitFor(
    async () => {
      const { text } = await metrics.collect();
      expect(text).toContain('route="/graphql"');
      return text;
    },
    { timeout: 60_000 },
  );
  await app.close();
});

test('docs/night.md explains each alert, and no other', () => {
  const explained = [...read('docs/night.md').matchAll(/^\| `(Audio\w+)` \|/gm)].map(([, name]) => name);
  expect(explained).toEqual(alerts.map(({ alert }) => alert));
});

test('the alerts ask only for metrics that a scrape has', () => {
  const asked = alerts.flatMap(
    ({ expr }) => expr.match(/\b(?:audio|http|nodejs|process)_[a-z\d_]+\b/g) ?? [],
  );
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((metric) => !isWrittenByScript(metric) && !isScraped(metric))).toEqual([]);
});

test('the alerts ask only for labels that those metrics have', () => {
  const selectors = alerts.flatMap(({ expr }) => [...expr.matchAll(/(\w+)\{([^}]*)\}/g)]);
  const asked = selectors.flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(?:=~|=|!=)"([^"]*)"/g)].flatMap(([, label = '', values = '']) =>
      values.split('|').map((value) => ({ metric, label, value })),
    ),
  );
  // Prometheus adds the job.
  const ours = asked.filter(({ label }) => label !== 'job');
  expect(ours.length).toBeGreaterThan(10);
  const missing = ours.filter(
    ({ metric, label, value }) => !new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, 'm').test(scrape),
  );
  expect(missing).toEqual([]);
});

function isScraped(metric: string): boolean {
  return new RegExp(`^${metric}(\\{| )`, 'm').test(scrape) || scrape.includes(`# TYPE ${metric} `);
}
