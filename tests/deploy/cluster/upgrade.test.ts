import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';
import { otherVersion } from './otherVersion.ts';

const ASSET = /\/assets\/[\w.-]+/g;

let cluster: Cluster;
let upgraded: Awaited<ReturnType<typeof otherVersion>>;

beforeAll(async () => {
  cluster = await startCluster({ answerMs: 0 });
  upgraded = await otherVersion();
  await cluster.restart(cluster.instances[1], 'SIGTERM', upgraded.program);
}, 180_000);
afterAll(async () => {
  await cluster?.close();
  await upgraded?.remove();
});

/** Returns the files that a page loads, and the files that these load. */
async function filesOf(base: string): Promise<string[]> {
  const files = new Set((await textOf(`${base}/`)).match(ASSET));
  // The loop also visits files that it adds to the set.
  for (const file of files) {
    for (const [name] of (await textOf(base + file)).matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)/g)) {
      files.add(`/assets/${name}`);
    }
  }
  return [...files].toSorted();
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return response.text();
}

test('during an upgrade, pages of both versions get their own files through nginx, whichever instance is asked', async () => {
  const own = await Promise.all(cluster.instances.map(({ port }) => filesOf(`http://127.0.0.1:${port}`)));
  const [before, after] = own;
  expect(before?.length).toBeGreaterThan(4);
  expect(after).toHaveLength(before?.length ?? 0);
  expect(before?.filter((file) => after?.includes(file))).toEqual([]);

  for (const file of own.flat()) {
    for (let turn = 0; turn < 4; turn += 1) {
      const response = await fetch(cluster.nginx.url + file);
      expect([file, response.status, (await response.text()).length > 0]).toEqual([file, 200, true]);
    }
  }
});

test('during an upgrade, a file that neither version has is answered with 404', async () => {
  expect((await fetch(`${cluster.nginx.url}/assets/Dashboard-00000000.js`)).status).toBe(404);
});
