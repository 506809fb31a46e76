import { readFile } from 'node:fs/promises';
import { type Benchmark, compare } from './compare.ts';
import { drive } from './load.ts';
import { CREATE_TOKEN, graphqlRequest } from './requests.ts';
import { signIn, withTestbed } from './testbed.ts';

const STARTS = 5;
const OPERATIONS = 50_000;
const CONNECTIONS = 16;
const KIB_PER_MB = 1e6 / 1024;

export const memoryBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    async function atRest() {
      const app = await testbed.startApp();
      const memory = await residentMb(app.pid);
      await app.stop();
      return memory;
    }
    await compare({
      title: "The server's process at rest",
      rounds: STARTS,
      effort,
      contestants: { 'at rest': atRest },
    });

    const app = await testbed.start('bench/streamTokens/unlimitedServer.ts');
    const { session } = await signIn(app);
    const request = graphqlRequest({ query: CREATE_TOKEN }, session);
    const load = {
      url: app.address,
      connections: CONNECTIONS,
      request: () => request,
      expected: '"streamUrl":',
    };
    const operations = effort.smoke ? CONNECTIONS : OPERATIONS;
    const afterOperations = async () => ({
      ...(await drive({ ...load, amount: operations })),
      ...(await residentMb(app.pid)),
    });
    await compare({
      title: 'The same after operations',
      rounds: 1,
      effort,
      contestants: {
        [`after ${operations}`]: afterOperations,
        [`after ${2 * operations}`]: afterOperations,
      },
    });
  });

async function residentMb(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { 'resident memory (MB)': Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MB };
}
