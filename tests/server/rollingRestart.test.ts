import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildUnlessFresh } from '../support/build.ts';
import { freePort } from '../support/freePort.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';
import { startProduction } from '../support/production.ts';
import { stopServer } from '../support/serverProcess.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../support/testApp.ts';

const ROUNDS = 25;
const TOOLS = 6;
/** Between two requests of a tool, so that the instances have time to start. */
const PAUSE_MS = 40;

let production: Awaited<ReturnType<typeof startProduction>>;
let nginx: Nginx;
let ports: [number, number];

beforeAll(async () => {
  await buildUnlessFresh();
  production = await startProduction({ answerMs: 20 });
  ports = [await freePort(), await freePort()];
  nginx = await startNginx(ports);
}, 180_000);
afterAll(async () => {
  await nginx?.close();
  await production?.close();
});

test(`${2 * ROUNDS} rolling restarts of two instances behind nginx: no failed request`, async () => {
  const instances = await Promise.all(
    ports.map(async (port) => ({ port, server: await production.startInstance(port) })),
  );
  const pool = new Pool(nginx.url, { connections: TOOLS });
  const failures: string[] = [];
  let answers = 0;
  let isOver = false;

  async function ask(query: string): Promise<void> {
    const { statusCode, body } = await pool.request(production.requestOf(query));
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text}`);
  }

  async function work(queries: string[]): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      await ask(queries[turn % queries.length] ?? '').then(
        () => {
          answers += 1;
        },
        (error: unknown) => failures.push(String(error)),
      );
      await delay(PAUSE_MS);
    }
  }

  const working = Promise.all([
    work([LOGIN, SESSION, SESSION, SESSION]),
    ...Array.from({ length: TOOLS - 1 }, () => work([CREATE_TOKEN, SESSION])),
  ]);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const instance of instances) {
      expect(await stopServer(instance.server, 'SIGTERM')).toBe(0);
      instance.server = await production.startInstance(instance.port);
    }
  }
  isOver = true;
  await working;
  await pool.close();

  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(2 * ROUNDS * TOOLS);
}, 600_000);
