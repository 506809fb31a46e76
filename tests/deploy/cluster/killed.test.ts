import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderPace } from '../../support/production.ts';
import { query } from '../../support/query.ts';
import { stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN } from '../../support/testApp.ts';
import { brokenAnswers, type Cluster, startCluster } from './cluster.ts';

const ROUNDS = 3;
const TOOLS = 8;

const pace: ProviderPace = { answerMs: 0 };
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster(pace);
}, 180_000);
afterAll(() => cluster?.close());

async function ask(operation: string) {
  const { path, ...request } = cluster.production.requestOf(operation);
  return (await fetch(cluster.nginx.url + path, request)).json();
}

async function recordedTokens(): Promise<number> {
  return (await query(cluster.production.databaseUrl, 'SELECT FROM token_records')).length;
}

test('when an instance is killed while it creates tokens, the other creates and records every one of them', async () => {
  const { production, instances } = cluster;
  pace.answerMs = 3_000;
  const requestsBefore = production.requestsToProvider;
  const recordsBefore = await recordedTokens();
  const answers = Promise.all(Array.from({ length: TOOLS }, () => ask(CREATE_TOKEN)));
  await expect.poll(() => production.requestsToProvider, { timeout: 20_000 }).toBe(requestsBefore + TOOLS);

  const [killed] = instances;
  await stopServer(killed.server, 'SIGKILL');
  expect(await answers).toEqual(
    Array(TOOLS).fill({ data: { createToken: expect.objectContaining({ lifetimeSeconds: 1200 }) } }),
  );
  expect(production.requestsToProvider).toBeGreaterThan(requestsBefore + TOOLS);
  expect(await recordedTokens()).toBeGreaterThanOrEqual(recordsBefore + TOOLS);
  await cluster.restart(killed, 'SIGKILL');
}, 60_000);

test(`no request is lost when ${2 * ROUNDS} instances are killed under load, one after the other`, async () => {
  pace.answerMs = 100;
  const { answers, failures } = await cluster.underLoad(async (requestsUnderWay) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const instance of cluster.instances) {
        expect(await cluster.restart(instance, 'SIGKILL')).toBe(null);
        // Never kill both under the same request.
        await requestsUnderWay();
      }
    }
  });
  expect(failures).toEqual([]);
  expect(brokenAnswers(cluster).length).toBeGreaterThan(ROUNDS);
  expect(answers).toBeGreaterThan(2 * ROUNDS * TOOLS);
}, 300_000);
