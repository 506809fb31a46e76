import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { startProduction } from '../support/production.ts';
import { stopServer } from '../support/serverProcess.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../support/testApp.ts';
import { startNginx } from './nginx.ts';

// Starts many processes, on machines that may be busy.
vi.setConfig({ testTimeout: 180_000 });

const ROUNDS = 5;
const TOOLS = 6;
/** So long that nginx begins to hand on the first piece of a body, and could not repeat the request. */
const PIECE_MS = 5;
/** A tool's pause between two requests, so that the instances have time to start. */
const PAUSE_MS = 40;

test(`in ${2 * ROUNDS} rolling restarts behind nginx no request fails or is carried out twice`, async () => {
  const production = await startProduction(() => delay(20));
  onTestFinished(() => production.close());
  const ports = [await freePort(), await freePort()] as const;
  const nginx = await startNginx(ports);
  const start = async (port: number) => ({ port, server: await production.startInstance(port) });
  const instances = await Promise.all(ports.map(start));
  const pool = new Pool(nginx.url, { connections: TOOLS });
  onTestFinished(() => pool.close());
  const failures: string[] = [];
  let answers = 0;
  let created = 0;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });

  async function ask(query: string, inPieces: boolean): Promise<void> {
    const request = production.requestOf(query);
    const { statusCode, body } = await pool.request(
      inPieces ? { ...request, body: Readable.from(piecesOf(request.body)) } : request,
    );
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text}`);
    answers += 1;
    if (query === CREATE_TOKEN) created += 1;
  }
  async function keepAsking(queries: string[]): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      await ask(queries[turn % queries.length] ?? '', turn % 2 === 1).catch((error) =>
        failures.push(String(error)),
      );
      await delay(PAUSE_MS);
    }
  }

  const asking = Promise.all(
    // Only one of them signs in: more would be limited.
    Array.from({ length: TOOLS }, (_, tool) =>
      keepAsking(tool === 0 ? [LOGIN, SESSION, SESSION, SESSION] : [CREATE_TOKEN, CREATE_TOKEN, SESSION]),
    ),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const instance of instances) {
      expect(await stopServer(instance.server, 'SIGTERM')).toBe(0);
      Object.assign(instance, await start(instance.port));
    }
  }
  isOver = true;
  await asking;
  expect(failures).toEqual([]);
  // nginx repeats a request if its connection was reset before an instance accepted it, which nothing can exclude.
  expect(production.requestsToProvider).toBe(created);
  expect(answers).toBeGreaterThan(2 * ROUNDS * TOOLS);
});

async function* piecesOf(body: string) {
  yield body.slice(0, 1);
  await delay(PIECE_MS);
  yield body.slice(1);
}
