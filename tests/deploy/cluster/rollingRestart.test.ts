import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenAnswers, type Cluster, startCluster } from './cluster.ts';

const ROUNDS = 25;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ answerMs: 20 });
}, 180_000);
afterAll(() => cluster?.close());

test(`in ${2 * ROUNDS} rolling restarts of two instances behind nginx, no request fails and none is sent twice`, async () => {
  const { answers, failures } = await cluster.underLoad(async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const instance of cluster.instances) expect(await cluster.restart(instance, 'SIGTERM')).toBe(0);
    }
  });
  expect(failures).toEqual([]);
  expect(brokenAnswers(cluster)).toEqual([]);
  expect(answers).toBeGreaterThan(2 * ROUNDS * 6);
}, 600_000);
