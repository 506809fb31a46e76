import { type Benchmark, inRounds, type Row, type Table } from '../benchmark.ts';
import { type Figure, ratio } from '../figures.ts';
import { drive, expecting, graphqlQuestion, type LoadFigures, timesFor } from '../load.ts';
import { type Program, startProgram } from '../program.ts';
import { openWorld, startApp, type World } from '../world.ts';

type Contestant = { name: string; program: Program };

export const OPERATIONS = {
  createToken: { query: 'mutation { createToken { token streamUrl company expiry lifetimeSeconds } }' },
  session: { query: '{ session { id company expiry } }' },
};

export const LOGIN = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { id company expiry jwt }
}`;

/** What an operation costs as shipped, against the plainest handler that does the work and against other GraphQL servers. */
export const createTokenBenchmark: Benchmark = {
  name: 'create-token',
  run: (effort) => compare('createToken', effort, [1, 8, 64], { signedIn: true, answer: '"streamUrl":' }),
};

export const sessionBenchmark: Benchmark = {
  name: 'session',
  run: (effort) => compare('session', effort, [1, 8, 64], { signedIn: true, answer: '"Radio Uno"' }),
};

export const refusedBenchmark: Benchmark = {
  name: 'refused',
  run: (effort) => compare('createToken', effort, [1, 8, 64], { signedIn: false, answer: 'UNAUTHENTICATED' }),
};

async function compare(
  operation: keyof typeof OPERATIONS,
  { smoke }: { smoke: boolean },
  connectionCounts: number[],
  { signedIn, answer }: { signedIn: boolean; answer: string },
): Promise<Table[]> {
  const world = await openWorld();
  const contestants: Contestant[] = [];
  try {
    for (const start of STARTS) contestants.push(await start(world));
    const tables: Table[] = [];
    const question = graphqlQuestion(OPERATIONS[operation], signedIn ? world.authorization : {});
    for (const connections of smoke ? connectionCounts.slice(0, 1) : connectionCounts) {
      const found = await inRounds(smoke ? 1 : 5, contestants, ({ name, program }) =>
        drive({
          origin: program.address,
          connections,
          question: () => question,
          check: expecting(answer, name),
          ...timesFor({ smoke }),
        }),
      );
      const what = signedIn ? operation : `${operation} without a session`;
      tables.push({
        title: `${what}, ${connections} at a time`,
        rows: rowsOf(contestants, found),
      });
    }
    return tables;
  } finally {
    for (const { program } of contestants) await program.stop();
    await world.close();
  }
}

const STARTS: Array<(world: World) => Promise<Contestant>> = [
  async ({ environment }) => ({
    name: 'plain node:http',
    program: await startProgram('bench/graphql/contestants/plainHttp.ts', environment),
  }),
  async (world) => ({ name: 'this app', program: await startApp(world) }),
  async ({ environment }) => ({
    name: 'Mercurius, JIT',
    program: await startProgram('bench/graphql/contestants/mercurius.ts', { ...environment, JIT: 'on' }),
  }),
  async ({ environment }) => ({
    name: 'Mercurius',
    program: await startProgram('bench/graphql/contestants/mercurius.ts', environment),
  }),
  async ({ environment }) => ({
    name: 'GraphQL Yoga',
    program: await startProgram('bench/graphql/contestants/yoga.ts', environment),
  }),
];

/** Each beside its ratio to the first contestant, the ceiling. */
function rowsOf(contestants: Contestant[], found: Map<Contestant, LoadFigures[]>): Row[] {
  const figuresOf = (contestant: Contestant) => {
    const measured = found.get(contestant) ?? [];
    const figure = (unit: string, pick: (figures: LoadFigures) => number): Figure => ({
      unit,
      values: measured.map(pick),
    });
    return {
      throughput: figure('/s', ({ perSecond }) => perSecond),
      p50: figure('ms', ({ p50Ms }) => p50Ms),
      p99: figure('ms', ({ p99Ms }) => p99Ms),
    };
  };
  const [first] = contestants;
  const ceiling = first && figuresOf(first);
  return contestants.map((contestant) => {
    const figures = figuresOf(contestant);
    if (!ceiling) return { name: contestant.name, figures };
    return {
      name: contestant.name,
      figures: {
        ...figures,
        'of the ceiling': ratio(figures.throughput, ceiling.throughput),
        'p99, of its': ratio(figures.p99, ceiling.p99),
      },
    };
  });
}
