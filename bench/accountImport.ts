import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import { ROOT } from '../scripts/steps.ts';
import { makeThrowawayFolder } from '../tests/support/throwawayPostgres.ts';
import { bareHashRates } from './bareHash.ts';
import type { Benchmark, Table } from './benchmark.ts';
import { openWorld, type World } from './world.ts';

const ROWS = [1_000, 10_000];
/** Nothing is hashed for these, so that a hundred thousand take seconds and not ten minutes. */
const ROWS_THERE = [1_000, 10_000, 100_000];
const STORED_AT_ONCE = 2_000;
const HASHED_FOR_MS = 5_000;
const KIB_PER_MB = 1e6 / 1024;
const LOOK_EVERY_MS = 50;

/**
 * Rows a second of `account import` against the bare hash rate on all cores, and the most memory that it takes: for accounts
 * that are new, and for a file that was imported before.
 */
export const importBenchmark: Benchmark = {
  name: 'import',
  async run({ smoke }) {
    const world = await openWorld();
    const { folder, remove } = await makeThrowawayFolder();
    try {
      const rows: Table['rows'] = [];
      for (const count of smoke ? [20] : ROWS) {
        const bare = (await bareHashRates(2 * availableParallelism(), smoke ? 200 : HASHED_FOR_MS)).hash;
        const file = path.join(folder, `${count}.jsonl`);
        await writeFile(file, exportOf(count));
        const { seconds, peakMb } = await importFile(file, world.environment);
        const rate = count / seconds;
        rows.push({
          name: `${count} rows`,
          figures: {
            rate: { unit: '/s', values: [rate] },
            'of the bare hash': { unit: '×', values: [rate / bare] },
            'most memory': { unit: 'MB', values: [peakMb] },
          },
        });
      }
      const again: Table['rows'] = [];
      for (const count of smoke ? [20] : ROWS_THERE) {
        await storeAccounts(world, count);
        const file = path.join(folder, `${count}.jsonl`);
        await writeFile(file, exportOf(count));
        const { seconds, peakMb } = await importFile(file, world.environment);
        again.push({
          name: `${count} rows`,
          figures: {
            rate: { unit: '/s', values: [count / seconds] },
            'most memory': { unit: 'MB', values: [peakMb] },
          },
        });
      }
      return [
        { title: '`npm run account -- import`, start of the program included', rows },
        { title: 'the same, of accounts that are all there already', rows: again },
      ];
    } finally {
      await world.close();
      await remove();
    }
  },
};

/** Those of `exportOf`, as an import would have left them. */
async function storeAccounts({ prisma }: World, count: number): Promise<void> {
  for (let first = 0; first < count; first += STORED_AT_ONCE) {
    const last = Math.min(first + STORED_AT_ONCE, count) - 1;
    await prisma.$executeRaw`
      INSERT INTO accounts (id, username, password_hash, company)
      SELECT id, 'radio-' || id || '@example', 'none', 'Radio ' || id
      FROM (
        SELECT ${count}::integer || '-' || number AS id
        FROM generate_series(${first}::integer, ${last}::integer) AS number
      ) AS ids
      ON CONFLICT DO NOTHING`;
  }
}

function exportOf(count: number): string {
  const row = (_: unknown, index: number) => {
    const id = `${count}-${index}`;
    return JSON.stringify({
      id,
      username: `radio-${id}@example`,
      password: `clave-${id}`,
      company: `Radio ${id}`,
    });
  };
  return Array.from({ length: count }, row).join('\n');
}

async function importFile(file: string, environment: Record<string, string>) {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['scripts/run.mjs', 'account', 'import', file], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  let peakMb = 0;
  const looking = new AbortController();
  ended.finally(() => looking.abort());
  try {
    for await (const _ of setInterval(LOOK_EVERY_MS, null, { signal: looking.signal })) {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / KIB_PER_MB);
    }
  } catch {
    // It ended.
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`The import ended with ${code}`);
  return { seconds: (performance.now() - startMs) / 1_000, peakMb };
}
