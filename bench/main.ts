import os from 'node:os';
import { parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { createTokenBenchmark } from './createToken.ts';
import { floodBenchmark } from './flood.ts';
import { loginBenchmark } from './login.ts';
import { newConnectionsBenchmark } from './newConnections.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  'create-token': createTokenBenchmark,
  login: loginBenchmark,
  flood: floodBenchmark,
  'new-connections': newConnectionsBenchmark,
};

const USAGE = `Usage: npm run bench -- [--smoke] [names]
  names    of ${Object.keys(BENCHMARKS).join(', ')}; all of them when left out
  --smoke  only see that each still works; the figures mean nothing`;

const { values, positionals } = parseArgs({
  options: { smoke: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.help || positionals.some((name) => !(name in BENCHMARKS))) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}
console.log(`${os.cpus()[0]?.model}, ${os.availableParallelism()} cores, Node ${process.version}`);
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (positionals.length === 0 || positionals.includes(name)) await benchmark({ smoke: values.smoke });
}
