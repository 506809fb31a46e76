import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';
import { ROOT } from '../../scripts/steps.ts';
import { makeThrowawayFolder } from '../../tests/support/throwawayPostgres.ts';
import { type Benchmark, inRounds, type Table } from '../benchmark.ts';
import { type Figure, ratio } from '../figures.ts';
import { bareHashRates } from '../signIn/bareHash.ts';
import { openWorld, type World } from '../world.ts';

/** New ones are hashed, which takes seconds a thousand: the more rows, the fewer rounds. */
const NEW = [
  { count: 1_000, rounds: 5 },
  { count: 10_000, rounds: 2 },
  { count: 100_000, rounds: 1 },
];
/** Nothing is hashed for these. */
const THERE = [1_000, 10_000, 100_000];
const THERE_ROUNDS = 3;
const STORED_AT_ONCE = 2_000;
const HASHED_FOR_MS = 5_000;
const KIB_PER_MB = 1e6 / 1024;
const LOOK_EVERY_MS = 50;

/** Rows a second, and the most memory. */
type Imported = { rate: number; peakMb: number };

/**
 * Rows a second of `account import` against the bare hash rate on all cores, and the most memory that it takes: for accounts
 * that are new, and for a file that was imported before.
 */
export const importBenchmark: Benchmark = {
  name: 'import',
  async run({ smoke }) {
    const world = await openWorld();
    const { folder, remove } = await makeThrowawayFolder();
    const importRows = async (set: string, count: number): Promise<Imported> => {
      const file = path.join(folder, 'accounts.jsonl');
      await writeFile(file, exportOf(set, count));
      const { seconds, peakMb } = await importFile(file, world.environment);
      return { rate: count / seconds, peakMb };
    };
    try {
      const hashed: Table['rows'] = [];
      for (const { count, rounds } of smoke ? [{ count: 20, rounds: 1 }] : NEW) {
        const imported: Imported[] = [];
        const bare: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const { hash } = await bareHashRates(2 * availableParallelism(), smoke ? 200 : HASHED_FOR_MS);
          bare.push(hash);
          imported.push(await importRows(`${count}-${round}`, count));
        }
        const { rate, memory } = figuresOf(imported);
        hashed.push({
          name: `${count} rows`,
          figures: {
            rate,
            'of the bare hash': ratio(rate, { unit: '/s', values: bare }),
            'most memory': memory,
          },
        });
      }
      const counts = smoke ? [20] : THERE;
      for (const count of counts) await storeAccounts(world, `${count}`, count);
      const again = await inRounds(smoke ? 1 : THERE_ROUNDS, counts, (count) =>
        importRows(`${count}`, count),
      );
      return [
        { title: '`npm run account -- import`, start of the program included', rows: hashed },
        {
          title: 'the same, of accounts that are all there already',
          rows: [...again].map(([count, imported]) => {
            const { rate, memory } = figuresOf(imported);
            return { name: `${count} rows`, figures: { rate, 'most memory': memory } };
          }),
        },
      ];
    } finally {
      await world.close();
      await remove();
    }
  },
};

function figuresOf(imported: Imported[]): { rate: Figure; memory: Figure } {
  return {
    rate: { unit: '/s', values: imported.map(({ rate }) => rate) },
    memory: { unit: 'MB', values: imported.map(({ peakMb }) => peakMb) },
  };
}

/** Those of `exportOf`, as an import would have left them. */
async function storeAccounts({ prisma }: World, set: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += STORED_AT_ONCE) {
    const last = Math.min(first + STORED_AT_ONCE, count) - 1;
    await prisma.$executeRaw`
      INSERT INTO accounts (id, username, password_hash, company)
      SELECT id, 'radio-' || id || '@example', 'none', 'Radio ' || id
      FROM (
        SELECT ${set}::text || '-' || number AS id
        FROM generate_series(${first}::integer, ${last}::integer) AS number
      ) AS ids
      ON CONFLICT DO NOTHING`;
  }
}

/** @param set whose ids and usernames are those of no other */
function exportOf(set: string, count: number): string {
  const row = (_: unknown, index: number) => {
    const id = `${set}-${index}`;
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
