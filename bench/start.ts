import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { PROJECT_ROOT } from '../server/config/paths.ts';
import { freePort } from '../tests/support/freePort.ts';
import { type Benchmark, inRounds } from './benchmark.ts';
import { figure } from './figures.ts';
import { withWorld } from './world.ts';

const ROUNDS = 10;
const POLL_MS = 5;
const START_LIMIT_MS = 60_000;

/** Measures the time from `npm start`, everything built, until `/readyz` answers 200. */
export const startBenchmark: Benchmark = ({ smoke }) =>
  withWorld(async (world) => {
    const environments: Record<string, Record<string, string>> = {
      'embedded database': { DATA_DIR: path.join(world.folder, 'data') },
      'external database': world.environment,
    };
    // The first start creates the embedded database.
    for (const environment of Object.values(environments)) await msUntilReady(environment);
    const found = await inRounds(smoke ? 1 : ROUNDS, Object.keys(environments), (name) =>
      msUntilReady(environments[name] ?? {}),
    );
    return [
      {
        title: 'From `npm start`, everything built, to ready',
        rows: [...found].map(([name, times]) => ({ name, figures: { time: figure('ms', times, Number) } })),
      },
    ];
  });

async function msUntilReady(environment: Record<string, string>): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - startMs > START_LIMIT_MS) {
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
