import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { DEMO_ACCOUNT } from '../../server/demo/demoAccount.ts';
import { freePort } from '../support/freePort.ts';
import { BUILT, becomesReady, launchServer, stopServer } from '../support/serverProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';
import { startService } from './service.ts';

// Figures over time want several scrapes, on machines that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
const { panels } = z
  .object({
    panels: z.array(
      z.object({
        title: z.string(),
        type: z.string(),
        description: z.string().default(''),
        targets: z.array(z.object({ expr: z.string(), instant: z.boolean().default(false) })).default([]),
        fieldConfig: z
          .object({
            defaults: z.object({
              noValue: z.string().optional(),
              thresholds: z.object({ steps: z.array(z.object({ value: z.number().nullable() })) }),
            }),
          })
          .optional(),
      }),
    ),
  })
  .parse(JSON.parse(read('deploy/grafana-dashboard.json')));
const alerts: { alert: string; expr: string }[] = parse(read('deploy/alerts.yml')).groups[0].rules;
const thresholdOf = (title: string) =>
  panels.find((panel) => panel.title === title)?.fieldConfig?.defaults.thresholds.steps.at(-1)?.value;

test.each([
  ['Tokens that fail', 0.1, 'AudioTokensFail', '> 0.1'],
  ['Time of the media provider', 2, 'AudioProviderSlow', '> 2'],
  ['Queries that wait for a database connection', 1, 'AudioDatabasePoolFull', '> 0'],
  ['Delay of the event loop', 0.25, 'AudioInstanceBusy', '> 0.25'],
  ['Memory', 500e6, 'AudioMemoryGrows', '> 500e6'],
  ['Difference of the clocks', 60, 'AudioClockDiffers', '> 60'],
  ['Since expired rows were last deleted', 3 * 3600, 'AudioPruningStopped', '> 3 * 3600'],
  ['Keys that end within 30 days', 1, 'AudioKeysEnd', '> 0'],
  ['Accounts that end within 30 days', 1, 'AudioAccountsEnd', '> 0'],
])('"%s" shows %s as its limit, as %s has it', (title, threshold, alert, comparison) => {
  expect(thresholdOf(title)).toBe(threshold);
  expect(alerts.find((rule) => rule.alert === alert)?.expr).toContain(comparison);
});

test('docs/night.md names a panel that names the alert, if there is one', () => {
  const rows = [...read('docs/night.md').matchAll(/^\| `(Audio\w+)` \| ([^|]+) \|/gm)];
  const panelsOf = (alert: string) =>
    panels.filter(({ description }) => description.match(/\w+/g)?.includes(alert)).map(({ title }) => title);
  expect(rows.length).toBe(alerts.length);
  for (const [, alert = '', panel] of rows) {
    const titles = panelsOf(alert);
    expect([alert, titles.length === 0 ? ['–'] : titles]).toEqual([alert, expect.arrayContaining([panel])]);
  }
});

test('every figure of the dashboard has a value on a server at work', async () => {
  const { countSeries, work } = await startScrapedServer();
  const figures = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  const withoutValue = async () => {
    await work();
    const empty = await Promise.all(figures.map(async ({ expr }) => (await countSeries(expr)) === 0));
    return figures.filter((_figure, i) => empty[i]).map(({ title }) => title);
  };
  await expect.poll(withoutValue, { interval: 2_000, timeout: 240_000 }).toEqual([]);
});

test('a panel of one figure asks for the present one, and says when there is none', () => {
  const stats = panels.filter(({ type }) => type === 'stat');
  expect(stats).toHaveLength(7);
  for (const { targets, fieldConfig } of stats) {
    expect(targets.every(({ instant }) => instant)).toBe(true);
    expect(fieldConfig?.defaults.noValue).toMatch(/\w/);
  }
});

test('an instance that has ended leaves no figure of its own', async () => {
  const { countSeries, work, stop } = await startScrapedServer();
  await work();
  const figures = ['audio_database_up{job="audio"}', 'max(audio_keys_ending)', 'up{job="audio"} == 1'];
  const shown = () => Promise.all(figures.map(countSeries));
  await expect.poll(shown, { timeout: 60_000 }).toEqual([1, 1, 1]);
  await stop();
  await expect.poll(shown, { timeout: 60_000 }).toEqual([0, 0, 0]);
  expect(await countSeries('up{job="audio"} == 0')).toBe(1);
});

/** Starts the demo and a Prometheus that scrapes it. `countSeries` returns how many series an expression gives. */
async function startScrapedServer() {
  const [port, metricsPort, prometheusPort] = [await freePort(), await freePort(), await freePort()];
  const env = { PORT: String(port), METRICS_PORT: String(metricsPort), DATA_DIR: temporaryFolder() };
  const server = launchServer(BUILT, env);
  onTestFinished(async () => void (await stopServer(server, 'SIGTERM')));
  await becomesReady(server, port);
  const { stdout: key } = await promisify(execFile)(
    process.execPath,
    ['dist/server/account.js', 'add-key', '--username', DEMO_ACCOUNT.username, '--name', 'monitor'],
    { cwd: PROJECT_ROOT, env: { ...env, PATH: process.env.PATH ?? '' } },
  );
  const folder = temporaryFolder({
    'prometheus.yml': JSON.stringify({
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'audio', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
    }),
  });
  startService('SIGTERM', [
    path.join(path.dirname(requireTool('promtool')), 'prometheus'),
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${prometheusPort}`,
  ]);
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(await answer.json()).not.toHaveProperty('errors');
  };
  return {
    /** Signs in, and creates a token as the monitoring account does. */
    async work() {
      const { username, password } = DEMO_ACCOUNT;
      await ask({ query: LOGIN, variables: { username, password } });
      await ask({ query: CREATE_TOKEN }, { authorization: `Bearer ${key.trim()}` });
    },
    stop: () => stopServer(server, 'SIGTERM'),
    async countSeries(expression: string): Promise<number> {
      const address = `http://127.0.0.1:${prometheusPort}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const answer = await fetch(address).catch(() => null);
      return answer === null ? 0 : (await answer.json()).data.result.length;
    },
  };
}
