import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { DEMO_ACCOUNT } from '../../server/demo/demo.ts';
import { freePort } from '../support/freePort.ts';
import { BUILT, becomesReady, launchServer, stopServer } from '../support/serverProcess.ts';
import { write } from '../support/temporaryFolder.ts';
import { CREATE_TOKEN, LOGIN } from '../support/testApp.ts';
import { requireTool } from '../support/testTools.ts';

// Figures over time want several scrapes, on machines that may be busy.
vi.setConfig({ testTimeout: 300_000 });

/** More connections than wait in the queue of networks. */
const FLOOD = 4_000;
const BODY = JSON.stringify({
  query: LOGIN,
  variables: { username: 'flood@radio.example', password: 'flooding' },
});
const SIGN_IN = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
/** By a key that does not exist. */
const PLAYER = 'GET /live/flood HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const panels: Array<{ title: string; targets?: Array<{ expr: string }> }> = JSON.parse(
  readFileSync(path.join(PROJECT_ROOT, 'deploy/grafana-dashboard.json'), 'utf8'),
).panels;
const figures = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

let server: Awaited<ReturnType<typeof startScrapedServer>>;
beforeAll(async () => {
  server = await startScrapedServer();
  return server.close;
});

test('every figure of the dashboard has a value on a server at work', async () => {
  const withoutValue = async () => {
    await server.work();
    const values = await Promise.all(figures.map(({ expr }) => server.valuesOf(expr)));
    return figures.filter((_figure, i) => values[i]?.length === 0).map(({ title }) => title);
  };
  await expect.poll(withoutValue, { interval: 2_000, timeout: 240_000 }).toEqual([]);
});

test('"Requests refused" counts each refusal of a flood once', async () => {
  const signIns = await server.flood(SIGN_IN);
  const players = await server.flood(PLAYER);
  for (const count of [...Object.values(signIns), players.byStatus]) expect(count).toBeGreaterThan(0);

  const expressions = figures
    .filter(({ title }) => title.startsWith('Requests refused'))
    .map(({ expr }) => expr);
  const total = async (expression: string) => {
    const counted = expression.replace(/rate\((.*)\[5m\]\)\) \* 60/, '$1)');
    return (await server.valuesOf(counted)).reduce((sum, value) => sum + value, 0);
  };
  await expect
    .poll(() => Promise.all(expressions.map(total)), { timeout: 60_000 })
    .toEqual([signIns.byCode, signIns.byStatus + players.byStatus]);
  for (const expression of expressions) {
    const highest = async () => Math.max(...(await server.valuesOf(expression)));
    await expect.poll(highest, { timeout: 60_000 }).toBeGreaterThan(0);
  }
});

test('three hours after the only instance ended no panel has a figure of it', async () => {
  await server.stop();
  const isUp = async () => (await server.valuesOf('up{job="audio"}'))[0];
  await expect.poll(isUp, { timeout: 60_000 }).toBe(0);
  const endedAt = Date.now() / 1_000;

  const shown: Record<string, number[]> = {};
  for (const { title, expr } of figures) {
    const values = await server.valuesOf(expr, endedAt + 3 * 3_600);
    if (values.length > 0) shown[title] = values;
  }
  expect(Object.keys(shown)).toEqual(['Since the monitor last got a token']);
  const [seconds = 0] = shown['Since the monitor last got a token'] ?? [];
  // Its increase is looked for in the last two minutes.
  expect(seconds).toBeGreaterThan(3 * 3_600 - 150);
  expect(seconds).toBeLessThan(3 * 3_600 + 600);
});

async function startScrapedServer() {
  const [port, metricsPort, prometheusPort] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(path.join(tmpdir(), 'audio-oficial-premium-grafana-'));
  // Root's PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  const env = { PORT: String(port), METRICS_PORT: String(metricsPort), DATA_DIR: path.join(folder, 'demo') };
  const server = launchServer(BUILT, env);
  await becomesReady(server, port);
  const { stdout: key } = await promisify(execFile)(
    process.execPath,
    ['dist/server/account.js', 'add-key', '--username', DEMO_ACCOUNT.username, '--name', 'monitor'],
    { cwd: PROJECT_ROOT, env: { ...env, PATH: process.env.PATH ?? '' } },
  );
  const scrapes = {
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'audio', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  write(folder, 'prometheus.yml', JSON.stringify(scrapes));
  const prometheus = launchServer(
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
    ],
    {},
    { program: path.join(path.dirname(requireTool('promtool')), 'prometheus') },
  );
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(await answer.json()).not.toHaveProperty('errors');
  };
  return {
    async work() {
      const { username, password } = DEMO_ACCOUNT;
      await ask({ query: LOGIN, variables: { username, password } });
      await ask({ query: CREATE_TOKEN }, { authorization: `Bearer ${key.trim()}` });
    },
    stop: () => stopServer(server, 'SIGTERM'),
    async close() {
      for (const started of [server, prometheus]) await stopServer(started, 'SIGTERM');
      rmSync(folder, { recursive: true });
    },
    /** Sends a request by each of many connections at once. Returns how many answers were refusals by a limit. */
    async flood(request: string) {
      const sockets = Array.from({ length: FLOOD }, () => connect(port, '127.0.0.1'));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      const answers = await Promise.all(
        sockets.map((socket) => {
          socket.write(request);
          return text(socket);
        }),
      );
      const byStatus = answers.filter((answer) => answer.startsWith('HTTP/1.1 429 ')).length;
      return {
        byStatus,
        byCode: answers.filter((answer) => answer.includes('RATE_LIMITED')).length - byStatus,
      };
    },
    /** Returns the values of an expression now, or at another time in seconds. */
    async valuesOf(expression: string, time?: number): Promise<number[]> {
      const address = new URL(`http://127.0.0.1:${prometheusPort}/api/v1/query`);
      address.searchParams.set('query', expression);
      if (time !== undefined) address.searchParams.set('time', String(time));
      const answer = await fetch(address).catch(() => null);
      if (answer === null) return [];
      const { data } = z
        .object({
          data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
        })
        .parse(await answer.json());
      return data.result.map(({ value }) => Number(value[1]));
    },
  };
}
