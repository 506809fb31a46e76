import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { exitOnSignals, reportFailure } from '../scripts/steps.ts';
import { PROJECT_ROOT } from '../server/config/paths.ts';
import type { Benchmark, Table } from './benchmark.ts';
import { importBenchmark } from './cli/accountImport.ts';
import { clientBenchmark } from './client/client.ts';
import { figureText } from './figures.ts';
import { createTokenBenchmark, sessionBenchmark } from './graphql/operations.ts';
import { instancesBenchmark } from './instances.ts';
import { memoryBenchmark } from './memory.ts';
import { floodBenchmark } from './signIn/flood.ts';
import { loginBenchmark } from './signIn/login.ts';
import { startBenchmark } from './start.ts';
import { providerTimeBenchmark } from './streamTokens/providerTime.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  'create-token': createTokenBenchmark,
  session: sessionBenchmark,
  'provider-time': providerTimeBenchmark,
  login: loginBenchmark,
  flood: floodBenchmark,
  instances: instancesBenchmark,
  start: startBenchmark,
  memory: memoryBenchmark,
  import: importBenchmark,
  client: clientBenchmark,
};
const RESULTS = path.join(PROJECT_ROOT, 'dist', 'bench');

const USAGE = `Usage: npm run bench -- [--smoke] [names]
  names    of ${Object.keys(BENCHMARKS).join(', ')}; all of them when left out
  --smoke  only see that each still works; the figures mean nothing
The figures are printed, and written to dist/bench/<name>.json.`;

exitOnSignals();
try {
  await run();
} catch (error) {
  reportFailure(error);
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { smoke: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !(name in BENCHMARKS));
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) {
      console.log(`There is no benchmark called ${unknown.join(', ')}.`);
      process.exitCode = 1;
    }
    console.log(USAGE);
    return;
  }
  await mkdir(RESULTS, { recursive: true });
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const machine = thisMachine();
    const tables = await benchmark({ smoke: values.smoke });
    for (const table of tables) print(table);
    if (!values.smoke) {
      await writeFile(path.join(RESULTS, `${name}.json`), `${JSON.stringify({ machine, tables })}\n`);
    }
  }
}

/** @returns what figures of two runs must have in common to be compared */
function thisMachine() {
  return {
    date: new Date().toISOString(),
    processor: os.cpus()[0]?.model ?? os.arch(),
    cores: os.availableParallelism(),
    node: process.version,
    loadAtStart: os.loadavg()[0],
  };
}

function print({ title, rows }: Table): void {
  console.log(title);
  console.table(
    Object.fromEntries(
      rows.map(({ name, figures }) => [
        name,
        Object.fromEntries(Object.entries(figures).map(([column, figure]) => [column, figureText(figure)])),
      ]),
    ),
  );
}
