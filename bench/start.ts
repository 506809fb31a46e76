import path from 'node:path';
import { type Benchmark, compare } from './compare.ts';
import { startProgram } from './program.ts';
import { withTestbed } from './testbed.ts';

const ROUNDS = 11;

/** Measures the time from `npm start`, everything built, until the server says that it listens. */
export const startBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    const embedded = () =>
      start({ HOME: process.env.HOME, DATA_DIR: path.join(testbed.folder, 'data'), PORT: '0' });
    const external = () => start({ HOME: process.env.HOME, ...testbed.environment });
    // The first start creates the embedded database.
    await embedded();
    await compare({
      title: 'From `npm start`, everything built, to ready',
      rounds: ROUNDS,
      effort,
      contestants: { 'embedded database': embedded, 'external database': external },
    });
  });

async function start(environment: NodeJS.ProcessEnv) {
  const startMs = performance.now();
  const program = await startProgram(['npm', 'start', '--silent'], environment);
  const figures = { 'time (ms)': performance.now() - startMs };
  await program.stop();
  return figures;
}
