import { beforeAll, expect, test, vi } from 'vitest';
import type { ProviderPace } from '../../support/production.ts';
import { query } from '../../support/query.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN } from '../../support/testApp.ts';
import { brokenAnswers, type Cluster, type Instance, startCluster } from './cluster.ts';
import { otherVersion } from './otherVersion.ts';

// Starts many processes, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const ROUNDS = 5;
const TOOLS = 8;
const ASSET = /\/assets\/[\w.-]+/g;

const pace: ProviderPace = { answerMs: 20 };
let cluster: Cluster;
let first: Instance;
let second: Instance;

beforeAll(async () => {
  cluster = await startCluster(pace);
  [first, second] = cluster.instances;
  return () => cluster.close();
}, 180_000);

const addressOf = ({ port }: Instance) => `http://127.0.0.1:${port}`;

async function createToken() {
  const { path, ...request } = cluster.production.requestOf(CREATE_TOKEN);
  return (await fetch(cluster.nginx.url + path, request)).json();
}

async function recordedTokens(): Promise<number> {
  return (await query(cluster.production.databaseUrl, 'SELECT FROM token_records')).length;
}

test(`in ${2 * ROUNDS} rolling restarts behind nginx no request fails`, async () => {
  const { answers, failures } = await cluster.underLoad(async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const instance of cluster.instances) expect(await cluster.restart(instance, 'SIGTERM')).toBe(0);
    }
  });
  expect(failures).toEqual([]);
  expect(brokenAnswers(cluster)).toEqual([]);
  expect(answers).toBeGreaterThan(2 * ROUNDS * 6);
});

test('the other instance creates the tokens of a killed one', async () => {
  const { production } = cluster;
  pace.answerMs = 3_000;
  const requestsBefore = production.requestsToProvider;
  const recordsBefore = await recordedTokens();
  const answers = Promise.all(Array.from({ length: TOOLS }, createToken));
  await expect.poll(() => production.requestsToProvider, { timeout: 20_000 }).toBe(requestsBefore + TOOLS);

  await stopServer(first.server, 'SIGKILL');
  expect(await answers).toEqual(
    Array(TOOLS).fill({ data: { createToken: expect.objectContaining({ lifetimeSeconds: 1200 }) } }),
  );
  expect(production.requestsToProvider).toBeGreaterThan(requestsBefore + TOOLS);
  expect(await recordedTokens()).toBeGreaterThanOrEqual(recordsBefore + TOOLS);
  await cluster.restart(first, 'SIGKILL');
});

/** Returns the files that a page loads, and the files that these load. */
async function filesOf(origin: string): Promise<string[]> {
  const textOf = async (file: string) => (await fetch(origin + file)).text();
  const files = new Set((await textOf('/')).match(ASSET));
  // The loop also visits files that it adds to the set.
  for (const file of files) {
    for (const [name] of (await textOf(file)).matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)/g)) {
      files.add(`/assets/${name}`);
    }
  }
  return [...files].toSorted();
}

test('during an upgrade pages of both versions get their own files', async ({ onTestFinished }) => {
  const upgraded = await otherVersion();
  onTestFinished(upgraded.remove);
  await cluster.restart(second, 'SIGTERM', upgraded.program);
  const [before = [], after = []] = await Promise.all(cluster.instances.map((of) => filesOf(addressOf(of))));
  expect(before.length).toBeGreaterThan(4);
  expect(after).toHaveLength(before.length);
  expect(before.filter((file) => after.includes(file))).toEqual([]);
  for (const file of [...before, ...after]) {
    for (let turn = 0; turn < 4; turn += 1) {
      const response = await fetch(cluster.nginx.url + file);
      expect([file, response.status, (await response.text()).length > 0]).toEqual([file, 200, true]);
    }
  }
  expect((await fetch(`${cluster.nginx.url}/assets/main-00000000.js`)).status).toBe(404);
});
