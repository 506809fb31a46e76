import { readFile } from 'node:fs/promises';
import type { Benchmark, Table } from './benchmark.ts';
import { figure } from './figures.ts';
import { drive } from './load.ts';
import { CREATE_TOKEN, graphqlRequest } from './requests.ts';
import { signedIn, withTestbed } from './testbed.ts';

const STARTS = 5;
const STEPS = 2;
const OPERATIONS_PER_STEP = 50_000;
const CONNECTIONS = 16;
const KIB_PER_MB = 1e6 / 1024;

export const memoryBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async (testbed) => {
    const atRest: number[] = [];
    while (atRest.length < (smoke ? 1 : STARTS)) {
      const app = await testbed.startApp();
      atRest.push(await residentMb(app.pid));
      await app.stop();
    }
    const rows: Table['rows'] = { 'at rest': { memory: figure(atRest, 'MB') } };

    const app = await testbed.startUnlimitedApp();
    const request = graphqlRequest({ query: CREATE_TOKEN }, await signedIn(app));
    const operations = smoke ? CONNECTIONS : OPERATIONS_PER_STEP;
    for (let step = 1; step <= STEPS; step += 1) {
      await drive({
        origin: app.address,
        connections: CONNECTIONS,
        request,
        expected: '"streamUrl":',
        length: { perConnection: operations / CONNECTIONS },
      });
      rows[`after ${step * operations} operations`] = { memory: figure([await residentMb(app.pid)], 'MB') };
    }
    return [{ title: "The server's process, resident memory", rows }];
  });

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MB;
}
