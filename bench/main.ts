import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { exitOnSignals, ROOT, reportFailure } from '../scripts/steps.ts';
import type { Benchmark, Table } from './benchmark.ts';
import { chartSvg } from './chart.ts';
import { importBenchmark } from './cli/accountImport.ts';
import { clientBenchmark } from './client/client.ts';
import { costlyQueriesBenchmark } from './graphql/costlyQueries.ts';
import { createTokenBenchmark, refusedBenchmark, sessionBenchmark } from './graphql/operations.ts';
import { instancesBenchmark } from './instances.ts';
import { thisMachine } from './machine.ts';
import { memoryBenchmark } from './memory.ts';
import { tableText } from './report.ts';
import { scaleBenchmark } from './scale.ts';
import { signInBenchmark } from './signIn/signIn.ts';
import { signInTimingBenchmark } from './signIn/timing.ts';
import { startBenchmark } from './start.ts';
import { providerTimeBenchmark } from './streamTokens/providerTime.ts';

const BENCHMARKS: Benchmark[] = [
  createTokenBenchmark,
  sessionBenchmark,
  refusedBenchmark,
  providerTimeBenchmark,
  signInBenchmark,
  signInTimingBenchmark,
  costlyQueriesBenchmark,
  instancesBenchmark,
  scaleBenchmark,
  startBenchmark,
  memoryBenchmark,
  importBenchmark,
  clientBenchmark,
];
const RESULTS = path.join(ROOT, 'docs', 'performance');

const USAGE = `Usage: npm run bench -- [--smoke] [names]
  names    of ${BENCHMARKS.map(({ name }) => name).join(', ')}; all of them when left out
  --smoke  only see that each still works, in seconds; the figures mean nothing
The figures go to docs/performance/<name>.json, and as bars to <name>.svg beside it.`;

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
  const unknown = positionals.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (values.help || unknown.length > 0) {
    console.log(unknown.length > 0 ? `There is no benchmark called ${unknown.join(', ')}.\n${USAGE}` : USAGE);
    if (unknown.length > 0) process.exitCode = 1;
    return;
  }
  const machine = thisMachine();
  console.log(
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, ` +
      `Node ${machine.node}, load ${machine.loadAtStart} at the start\n`,
  );
  for (const benchmark of BENCHMARKS) {
    if (positionals.length > 0 && !positionals.includes(benchmark.name)) continue;
    const tables = await benchmark.run({ smoke: values.smoke });
    for (const table of tables) console.log(tableText(table));
    if (!values.smoke) await keep(benchmark.name, { machine, tables });
  }
}

async function keep(name: string, results: { machine: object; tables: Table[] }): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const file = path.join(RESULTS, name);
  await writeFile(`${file}.json`, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(`${file}.svg`, chartSvg(results.tables));
}
