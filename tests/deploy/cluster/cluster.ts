import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
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
    /** Runs `work` while tools send requests through nginx, each one after the other. */
    async underLoad(work: () => Promise<void>): Promise<{ answers: number; failures: string[] }> {
      const pool = new Pool(nginx.url, { connections: TOOLS });
      const failures: string[] = [];
      let answers = 0;
      let isOver = false;

      async function ask(query: string): Promise<void> {
        const { statusCode, body } = await pool.request(production.requestOf(query));
        const text = await body.text();
        if (statusCode !== 200 || text.includes('"errors"')) throw new Error(`${statusCode} ${text}`);
        answers += 1;
      }

      async function keepAsking(queries: string[]): Promise<void> {
        for (let turn = 0; !isOver; turn += 1) {
          await ask(queries[turn % queries.length] ?? '').catch((error) => failures.push(String(error)));
          await delay(PAUSE_MS);
        }
      }

      const asking = Promise.all(
        // Only one of them signs in: more would be limited.
        Array.from({ length: TOOLS }, (_, tool) =>
          keepAsking(tool === 0 ? [LOGIN, SESSION, SESSION, SESSION] : [CREATE_TOKEN, SESSION]),
        ),
      );
      try {
        await work();
      } finally {
        isOver = true;
        await asking;
        await pool.close();
      }
      return { answers, failures };
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
