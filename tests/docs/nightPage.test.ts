import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { createMetrics } from '../../server/observing/metrics.ts';
import { SESSION, startTestApp } from '../support/testApp.ts';

const page = read('docs/night.md');
/** The name and the expression of each alert. */
const alerts = read('deploy/alerts.yml')
  .split(/^ *- alert: /m)
  .slice(1)
  .map((rule) => ({
    name: rule.split('\n', 1)[0] ?? '',
    expression: /^ +expr: ((?:.|\n(?! *(?:for|labels):))*)/m.exec(rule)?.[1] ?? '',
  }));

/** Written for Prometheus's node exporter, not scraped from an instance. */
const WRITTEN_BY_BACKUP = /echo "(audio_[a-z_]+) /.exec(read('deploy/backup.sh'))?.[1];

const METRIC = /\b(?:audio|http|nodejs|process)_[a-z\d_]+\b/g;
let scrape: string;

beforeAll(async () => {
  const metrics = createMetrics();
  const app = await startTestApp({ observer: metrics.requests });
  metrics.watch({
    database: app.database,
    provider: { breakerState: () => 'closed' },
    keySessions: { countEnding: async () => 0 },
    accounts: { countEnding: async () => 0 },
    clockDifferenceMs: async () => 0,
  });
  await app.graphql(SESSION);
  metrics.requests.onOperation({
    fields: ['createToken'],
    code: null,
    key: { account: 'id', key: 'monitor' },
    durationMs: 20,
  });
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

describe('deploy/alerts.yml', () => {
  test('asks only for metrics that a scrape has', () => {
    expect(alerts.length).toBeGreaterThan(10);
    for (const { name, expression } of alerts) {
      const asked = expression.match(METRIC) ?? [];
      expect([name, asked.length > 0 || expression.startsWith('up{')]).toEqual([name, true]);
      expect([name, asked.filter((metric) => !isScraped(metric))]).toEqual([name, []]);
    }
  });

  test('asks only for labels that those metrics have', () => {
    const selectors = alerts.flatMap(({ expression }) => [...expression.matchAll(/(\w+)\{([^}]*)\}/g)]);
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
});

test('docs/night.md explains each alert, and no other', () => {
  const explained = [...page.matchAll(/^\| `(Audio\w+)` \| .{20,} \|$/gm)].map(([, name]) => name);
  expect(explained).toEqual(alerts.map(({ name }) => name));
});

function isScraped(metric: string): boolean {
  return (
    metric === WRITTEN_BY_BACKUP ||
    new RegExp(`^${metric}(\\{| )`, 'm').test(scrape) ||
    scrape.includes(`# TYPE ${metric} `)
  );
}

function read(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}
