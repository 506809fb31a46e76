import { bareHashRates } from './bareHash.ts';
import { type Benchmark, type Effort, inRounds, type Table } from './benchmark.ts';
import { ratio } from './figures.ts';
import {
  drive,
  expecting,
  fromAddressOfItsOwn,
  graphqlQuestion,
  type LoadFigures,
  type Question,
  timesFor,
} from './load.ts';
import { LOGIN, OPERATIONS } from './operations.ts';
import type { Program } from './program.ts';
import { ACCOUNT, openWorld, startApp, type World } from './world.ts';

const AT_ONCE = 8;
const FLOODS = [50, 300];
/** So few are done in a second that V8 is long at compiling what they run. */
const COMPILING_MS = 20_000;

/** Sign-ins against the bare hash rate, and what a flood of them does to what those who are signed in ask. */
export const signInBenchmark: Benchmark = {
  name: 'sign-in',
  async run(effort) {
    const world = await openWorld();
    const app = await startApp(world);
    try {
      return [
        await rates(app.address, effort),
        await flooded('session', app, world, effort),
        await flooded('createToken', app, world, effort),
      ];
    } finally {
      await app.stop();
      await world.close();
    }
  },
};

async function rates(origin: string, effort: Effort): Promise<Table> {
  const times = timesFor(effort);
  const bare: number[] = [];
  const shipped: LoadFigures[] = [];
  const check = expecting('"jwt":', 'the app');
  const load = { origin, connections: AT_ONCE, question: nextSignIn, check, ...times };
  if (!effort.smoke) await drive({ ...load, durationMs: COMPILING_MS });
  await inRounds(effort.smoke ? 1 : 5, ['bare', 'shipped'], async (who) => {
    if (who === 'bare') bare.push((await bareHashRates(AT_ONCE, times.durationMs)).verify);
    else shipped.push(await drive(load));
  });
  const bareRate = { unit: '/s', values: bare };
  const rate = { unit: '/s', values: shipped.map(({ perSecond }) => perSecond) };
  return {
    title: `Sign-ins, ${AT_ONCE} at a time`,
    rows: [
      { name: 'the bare hash', figures: { rate: bareRate } },
      { name: 'login', figures: { rate, 'of the bare hash': ratio(rate, bareRate) } },
    ],
  };
}

/** Those who flood are told to come back later once too many wait; that is an answer too. */
async function flooded(
  operation: keyof typeof OPERATIONS,
  { address: origin }: Program,
  { authorization }: World,
  effort: Effort,
): Promise<Table> {
  const times = timesFor(effort);
  const question = graphqlQuestion(OPERATIONS[operation], authorization);
  const measure = () =>
    drive({
      origin,
      connections: 1,
      question: () => question,
      check: expecting(ACCOUNT.company, 'the app'),
      ...times,
    });
  const rows: Table['rows'] = [];
  for (const connections of [0, ...(effort.smoke ? FLOODS.slice(0, 1) : FLOODS)]) {
    const found = await inRounds(effort.smoke ? 1 : 5, [connections], async () => {
      if (connections === 0) return measure();
      const flood = drive({ origin, connections, question: nextSignIn, check: () => {}, ...times });
      const [figures] = await Promise.all([measure(), flood]);
      return figures;
    });
    const measured = found.get(connections) ?? [];
    rows.push({
      name: connections === 0 ? 'nobody signs in' : `${connections} sign-ins at any time`,
      figures: {
        p50: { unit: 'ms', values: measured.map(({ p50Ms }) => p50Ms) },
        p99: { unit: 'ms', values: measured.map(({ p99Ms }) => p99Ms) },
      },
    });
  }
  return { title: `\`${operation}\` while others sign in`, rows };
}

/** Each from an address of its own, or the limits would be measured. */
export function nextSignIn(): Question {
  const { username, password } = ACCOUNT;
  return graphqlQuestion({ query: LOGIN, variables: { username, password } }, fromAddressOfItsOwn());
}
