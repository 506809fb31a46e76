import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { ROOT } from '../scripts/steps.ts';
import { freePort } from '../tests/support/freePort.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import { type Benchmark, inRounds } from './benchmark.ts';
import { openWorld } from './world.ts';

const POLL_MS = 5;
const GIVE_UP_MS = 60_000;

/** From `npm start`, everything built, to `/readyz`. */
export const startBenchmark: Benchmark = {
  name: 'start',
  async run({ smoke }) {
    const world = await openWorld();
    const { folder, remove } = await makeThrowawayFolder();
    const environments: Record<string, Record<string, string>> = {
      'embedded database': { DATA_DIR: path.join(folder, 'data') },
      'external database': world.environment,
    };
    try {
      // The first start makes the embedded database.
      for (const environment of Object.values(environments)) await msUntilReady(environment);
      const found = await inRounds(smoke ? 1 : 10, Object.keys(environments), (name) =>
        msUntilReady(environments[name] ?? {}),
      );
      return [
        {
          title: 'From `npm start`, everything built, to ready',
          rows: [...found].map(([name, values]) => ({ name, figures: { time: { unit: 'ms', values } } })),
        },
      ];
    } finally {
      await world.close();
      await remove();
    }
  },
};

async function msUntilReady(environment: Record<string, string>): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - startMs > GIVE_UP_MS) {
        throw new Error('The server did not start');
      }
      await delay(POLL_MS);
    }
    return performance.now() - startMs;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
