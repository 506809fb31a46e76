import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { PROJECT_ROOT } from '../server/config/folders.ts';
import { READY_PATH } from '../shared/paths.ts';
import { freePort } from '../tests/support/freePort.ts';
import { type Benchmark, inRounds } from './benchmark.ts';
import { figure } from './figures.ts';
import { withTestbed } from './testbed.ts';

const ROUNDS = 10;
const POLL_MS = 5;
const START_LIMIT_MS = 60_000;

/** Measures the time from `npm start`, everything built, until `/readyz` answers 200. */
export const startBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async (testbed) => {
    const embedded = () => msUntilReady({ DATA_DIR: path.join(testbed.folder, 'data') });
    const external = () => msUntilReady(testbed.environment);
    // The first start creates the embedded database.
    await embedded();
    await external();
    const found = await inRounds(smoke ? 1 : ROUNDS, { embedded, external });
    const rows = {
      'embedded database': { time: figure(found.embedded, 'ms') },
      'external database': { time: figure(found.external, 'ms') },
    };
    return [{ title: 'From `npm start`, everything built, to ready', rows }];
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
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${READY_PATH}`);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
