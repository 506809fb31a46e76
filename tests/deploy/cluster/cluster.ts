import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { vi } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { type ProviderPace, startProduction } from '../../support/production.ts';
import { BUILT, type ServerProcess, stopServer } from '../../support/serverProcess.ts';
import { CREATE_TOKEN, LOGIN, SESSION } from '../../support/testApp.ts';
import { startNginx } from '../nginx.ts';

const TOOLS = 6;
/** A tool's pause between two requests, so that the instances have time to start. */
const PAUSE_MS = 40;

export type Instance = { port: number; server: ServerProcess };
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts two built instances on one PostgreSQL and one media provider, behind nginx with `deploy/nginx.conf`. */
export async function startCluster(pace: ProviderPace) {
  const production = await startProduction(pace);
  const ports = [await freePort(), await freePort()] as const;
  const nginx = await startNginx(ports);
  const start = async (port: number): Promise<Instance> => ({
    port,
    server: await production.startInstance(port),
  });
  const instances = await Promise.all([start(ports[0]), start(ports[1])]);

  return {
    production,
    nginx,
    instances,
    /**
     * Ends an instance by a signal and starts it again, with another program where one is given.
     * @returns its exit code, `null` when it was killed
     */
    async restart(instance: Instance, signal: NodeJS.Signals, program = BUILT): Promise<number | null> {
      const exitCode = await stopServer(instance.server, signal);
      instance.server = await production.startInstance(instance.port, { program });
      return exitCode;
    },
    /**
     * Runs `work` while tools send requests through nginx, each one after the other. `work` gets a function that waits
     * until every request under way is answered.
     */
    async underLoad(
      work: (requestsUnderWay: () => Promise<void>) => Promise<void>,
    ): Promise<{ answers: number; failures: string[] }> {
      const pool = new Pool(nginx.url, { connections: TOOLS });
      const failures: string[] = [];
      const turns = Array<number>(TOOLS).fill(0);
      let isOver = false;

      async function ask(query: string): Promise<void> {
        const { statusCode, body } = await pool.request(production.requestOf(query));
        const text = await body.text();
        if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text}`);
      }

      async function keepAsking(tool: number, queries: string[]): Promise<void> {
        for (let turn = 0; !isOver; turn += 1) {
          await ask(queries[turn % queries.length] ?? '').catch((error) => failures.push(String(error)));
          turns[tool] = turn + 1;
          await delay(PAUSE_MS);
        }
      }

      async function requestsUnderWay(): Promise<void> {
        const before = [...turns];
        await vi.waitUntil(() => turns.every((turn, tool) => turn > (before[tool] ?? 0)), {
          timeout: 30_000,
        });
      }

      const asking = Promise.all(
        turns.map((_, tool) => {
          // Only one of them signs in: more would be limited.
          return keepAsking(tool, tool === 0 ? [LOGIN, SESSION, SESSION, SESSION] : [CREATE_TOKEN, SESSION]);
        }),
      );
      try {
        await work(requestsUnderWay);
      } finally {
        isOver = true;
        await asking;
        await pool.close();
      }
      return { answers: turns.reduce((sum, turn) => sum + turn) - failures.length, failures };
    },
    async close() {
      await nginx.close();
      await production.close();
    },
  };
}

/** Returns nginx's errors, without refused connections: those come of an instance that is down. */
export function brokenAnswers({ nginx }: Cluster): string[] {
  return nginx.errors.split('\n').filter((line) => line !== '' && !line.includes('Connection refused'));
}
