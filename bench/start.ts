import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { request } from 'undici';
import { ROOT } from '../scripts/steps.ts';
import { freePort } from '../tests/support/freePort.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import { type Benchmark, inRounds, type Table } from './benchmark.ts';
import { openWorld } from './world.ts';

const POLL_MS = 5;
const GIVE_UP_MS = 60_000;

/** From `npm start`, everything built, to `/readyz`; and on a fresh clone, where nothing is. */
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
      const tables: Table[] = [
        {
          title: 'From `npm start`, everything built, to ready',
          rows: [...found].map(([name, values]) => ({ name, figures: { time: { unit: 'ms', values } } })),
        },
      ];
      if (!smoke) tables.push(await firstRun(folder));
      return tables;
    } finally {
      await world.close();
      await remove();
    }
  },
};

/** What somebody waits for who has just cloned what was committed last; npm's cache is as it was. */
async function firstRun(folder: string): Promise<Table> {
  const clone = path.join(folder, 'clone');
  const rows: Table['rows'] = [];
  const note = (name: string, ms: number) =>
    rows.push({ name, figures: { time: { unit: 's', values: [ms / 1_000] } } });
  await run('git', ['clone', '--quiet', ROOT, clone], folder);
  note('npm ci', await run('npm', ['ci', '--silent'], clone));
  note('generated code', await run('npm', ['run', '--silent', 'generate'], clone));
  note('build', await run('npm', ['run', '--silent', 'build'], clone));
  const environment = { DATA_DIR: path.join(folder, 'first data') };
  const first = await msUntilReady(environment, clone);
  const later = await msUntilReady(environment, clone);
  note('database', first - later);
  note('ready', later);
  return { title: 'The first run on a fresh clone, by phase', rows };
}

/** @returns how many milliseconds it took */
async function run(program: string, args: string[], cwd: string): Promise<number> {
  const startMs = performance.now();
  await promisify(execFile)(program, args, { cwd });
  return performance.now() - startMs;
}

async function msUntilReady(environment: Record<string, string>, root = ROOT): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
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
