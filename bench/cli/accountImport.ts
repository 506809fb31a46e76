import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PROJECT_ROOT } from '../../server/config/paths.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { figure, ratio } from '../figures.ts';
import { bareHashRate } from '../signIn/bareHash.ts';
import { withWorld } from '../world.ts';

/** A thousand rows take seconds to hash. */
const SIZES = [
  { rows: 1_000, rounds: 3 },
  { rows: 10_000, rounds: 2 },
];
const BARE_HASH_SECONDS = 5;
const KIB_PER_MB = 1e6 / 1024;
const POLL_MS = 50;

/** Compares the rows per second of `account import` with the bare rate of argon2id, and measures its greatest memory. */
export const importBenchmark: Benchmark = ({ smoke }) =>
  withWorld(async (world) => {
    const file = path.join(world.folder, 'accounts.jsonl');
    const tableRows: Row[] = [];
    for (const { rows, rounds } of smoke ? [{ rows: 20, rounds: 1 }] : SIZES) {
      const bare: number[] = [];
      const imports: Array<{ perSecond: number; peakMb: number }> = [];
      for (let round = 0; round < rounds; round += 1) {
        bare.push(await bareHashRate(smoke ? 0.2 : BARE_HASH_SECONDS));
        await writeFile(file, exportOf(rows, `${rows}-${round}`));
        const { seconds, peakMb } = await importFile(file, world.environment);
        imports.push({ perSecond: rows / seconds, peakMb });
      }
      const rate = figure('/s', imports, ({ perSecond }) => perSecond);
      tableRows.push({
        name: `${rows} rows`,
        figures: {
          rate,
          'of bare': ratio(rate, figure('/s', bare, Number)),
          'peak memory': figure('MB', imports, ({ peakMb }) => peakMb),
        },
      });
    }
    return [{ title: '`npm run account -- import` of new accounts', rows: tableRows }];
  });

/**
 * Returns an export of accounts.
 * @param set - a part of the ids and usernames that no other set has
 */
function exportOf(rows: number, set: string): string {
  return Array.from({ length: rows }, (_, index) => {
    const id = `${set}-${index}`;
    return JSON.stringify({
      id,
      username: `radio-${id}@example`,
      password: `clave-${id}`,
      company: `Radio ${id}`,
    });
  }).join('\n');
}

async function importFile(file: string, environment: Record<string, string>) {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['scripts/run.mjs', 'account', 'import', file], {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  let peakMb = 0;
  while (child.exitCode === null && child.signalCode === null) {
    // The file is gone once the process has ended.
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / KIB_PER_MB);
    await Promise.race([ended, delay(POLL_MS)]);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  if (child.exitCode !== 0) throw new Error(`The import ended with ${child.exitCode ?? child.signalCode}`);
  return { seconds, peakMb };
}
