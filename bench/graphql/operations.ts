import { type Benchmark, type Effort, inRounds, type Row, type Table } from '../benchmark.ts';
import { figure, ratio } from '../figures.ts';
import { drive, type LoadFigures, loadLength } from '../load.ts';
import { CREATE_TOKEN, graphqlRequest, SESSION } from '../requests.ts';
import { signedIn, type World, withWorld } from '../world.ts';

const CONNECTIONS = [1, 8, 64];
const ROUNDS = 5;

/** Measures `createToken` on the server and on its contestants. */
export const createTokenBenchmark: Benchmark = (effort) =>
  withWorld((world) => compare(CREATE_TOKEN, '"streamUrl":', world, effort));

/** Measures `session` on the server and on its contestants. */
export const sessionBenchmark: Benchmark = (effort) =>
  withWorld((world) => compare(SESSION, '"Radio Uno"', world, effort));

/** Measures one operation on the server, on the plainest handler that does the same work, and on GraphQL Yoga. */
async function compare(query: string, expected: string, world: World, effort: Effort): Promise<Table[]> {
  const plain = await world.startContestant('plainHttp');
  const app = await world.startUnlimitedApp();
  const yoga = await world.startContestant('yoga');
  const request = graphqlRequest({ query }, await signedIn(app));
  const tables: Table[] = [];
  for (const connections of CONNECTIONS) {
    const found = await inRounds(effort.smoke ? 1 : ROUNDS, [plain, app, yoga], ({ address }) =>
      drive({ origin: address, connections, request, expected, length: loadLength(effort) }),
    );
    const ceiling = found.get(plain) ?? [];
    tables.push({
      title: `${query}, ${connections} at a time`,
      rows: [
        rowOf('plain node:http', ceiling, ceiling),
        rowOf('this app', found.get(app), ceiling),
        rowOf('GraphQL Yoga', found.get(yoga), ceiling),
      ],
    });
  }
  return tables;
}

function rowOf(name: string, measured: LoadFigures[] | undefined, ceiling: LoadFigures[]): Row {
  const throughput = (of: LoadFigures[] | undefined) => figure('/s', of, ({ perSecond }) => perSecond);
  return {
    name,
    figures: {
      throughput: throughput(measured),
      'of plain': ratio(throughput(measured), throughput(ceiling)),
      p50: figure('ms', measured, ({ p50Ms }) => p50Ms),
      p99: figure('ms', measured, ({ p99Ms }) => p99Ms),
    },
  };
}
