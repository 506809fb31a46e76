import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import { figure, ratio } from '../figures.ts';
import { drive, type LoadFigures, loadLength } from '../load.ts';
import { CREATE_TOKEN, graphqlRequest } from '../requests.ts';
import { signedIn, type Testbed, withTestbed } from '../testbed.ts';

const CONNECTIONS = [1, 8, 64];
const ROUNDS = 5;

/** Compares `createToken` on the server, on the plainest handler that does the same work, and on GraphQL Yoga. */
export const createTokenBenchmark: Benchmark = (effort) =>
  withTestbed((testbed) => compareHandlers(testbed, effort));

async function compareHandlers(testbed: Testbed, effort: Effort): Promise<Table[]> {
  const plain = await testbed.startContestant('plainHttp');
  const app = await testbed.startUnlimitedApp();
  const yoga = await testbed.startContestant('yoga');
  const request = graphqlRequest({ query: CREATE_TOKEN }, await signedIn(app));
  const tables: Table[] = [];
  for (const connections of CONNECTIONS) {
    const driven = (origin: string) => () =>
      drive({ origin, connections, request, expected: '"streamUrl":', length: loadLength(effort) });
    const found = await inRounds(effort.smoke ? 1 : ROUNDS, {
      'plain node:http': driven(plain.address),
      'this app': driven(app.address),
      'GraphQL Yoga': driven(yoga.address),
    });
    const rows = Object.entries(found).map(([name, measured]) => [
      name,
      rowOf(measured, found['plain node:http']),
    ]);
    tables.push({ title: `createToken, ${connections} at a time`, rows: Object.fromEntries(rows) });
  }
  return tables;
}

function rowOf(measured: LoadFigures[], ceiling: LoadFigures[]): Record<string, string> {
  const throughput = (of: LoadFigures[]) => of.map(({ perSecond }) => perSecond);
  return {
    throughput: figure(throughput(measured), '/s'),
    'of plain': ratio(throughput(measured), throughput(ceiling)),
    p50: figure(
      measured.map(({ p50Ms }) => p50Ms),
      'ms',
    ),
    p99: figure(
      measured.map(({ p99Ms }) => p99Ms),
      'ms',
    ),
  };
}
