import os from 'node:os';
import { parseArgs } from 'node:util';
import { exitOnSignals, reportFailure } from '../scripts/steps.ts';
import { OperatorError } from '../server/errors.ts';
import { clientBenchmark } from './client/client.ts';
import type { Benchmark } from './compare.ts';
import { createTokenBenchmark } from './graphql/createToken.ts';
import { memoryBenchmark } from './memory.ts';
import { floodBenchmark } from './signIn/flood.ts';
import { loginBenchmark } from './signIn/login.ts';
import { startBenchmark } from './start.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  'create-token': createTokenBenchmark,
  login: loginBenchmark,
  flood: floodBenchmark,
  start: startBenchmark,
  memory: memoryBenchmark,
  client: clientBenchmark,
};

const USAGE = `Usage: npm run bench -- [--smoke] [names]
  names    of ${Object.keys(BENCHMARKS).join(', ')}; all of them when left out
  --smoke  only see that each still works; the figures mean nothing`;

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
  if (values.help) return console.log(USAGE);
  if (positionals.some((name) => !(name in BENCHMARKS))) throw new OperatorError(USAGE);
  console.log(`${os.cpus()[0]?.model}, ${os.availableParallelism()} cores, Node ${process.version}`);
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (positionals.length === 0 || positionals.includes(name)) await benchmark({ smoke: values.smoke });
  }
}
