import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import { keepTo, ownCores } from '../cores.ts';
import { ratio } from '../figures.ts';
import { LOGIN, OPERATIONS } from '../graphql/operations.ts';
import { drive, expecting, fromAddressOfItsOwn, graphqlQuestion, type Question, timesFor } from '../load.ts';
import type { Program } from '../program.ts';
import { ACCOUNT, openWorld, startApp, type World } from '../world.ts';
import { bareHashRates } from './bareHash.ts';

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
        await rates(`Sign-ins, ${AT_ONCE} at a time`, app, effort),
        ...(await ratesApart(effort)),
        await flooded('session', app, world, effort),
        await flooded('createToken', app, world, effort),
      ];
    } finally {
      await app.stop();
      await world.close();
    }
  },
};

/** @param cores that the app is kept to, and so the bare hash */
async function rates(title: string, app: Program, effort: Effort, cores = ownCores()): Promise<Table> {
  const times = timesFor(effort);
  const check = expecting('"jwt":', 'the app');
  const load = { origin: app.address, connections: AT_ONCE, question: nextSignIn, check, ...times };
  if (!effort.smoke) await drive({ ...load, durationMs: COMPILING_MS });
  const bare = (atOnce: number) => async () => (await bareHashRates(atOnce, times.durationMs, cores)).verify;
  const contestants = [bare(AT_ONCE), bare(cores.length), async () => (await drive(load)).perSecond];
  const found = await inRounds(effort.smoke ? 1 : 5, contestants, (measure) => measure());
  const [crowded, easy, shipped] = contestants.map((each) => ({ unit: '/s', values: found.get(each) ?? [] }));
  if (!crowded || !easy || !shipped) throw new Error('Somebody was not measured');
  return {
    title,
    rows: [
      { name: `bare hash, ${AT_ONCE} at once`, figures: { rate: crowded } },
      { name: 'bare hash, one a core', figures: { rate: easy } },
      {
        name: 'login',
        figures: {
          rate: shipped,
          [`of the bare hash, ${AT_ONCE} at once`]: ratio(shipped, crowded),
          'of the bare hash, one a core': ratio(shipped, easy),
        },
      },
    ],
  };
}

/** The same as where PostgreSQL and whoever signs in have machines of their own: the last core is the app's alone. */
async function ratesApart(effort: Effort): Promise<Table[]> {
  const cores = ownCores();
  const own = cores.slice(-1);
  if (cores.length === own.length) return [];
  await keepTo(cores.slice(0, -1));
  try {
    const world = await openWorld();
    const app = await startApp(world, {}, own);
    try {
      return [await rates('The same, with a core for the app alone', app, effort, own)];
    } finally {
      await app.stop();
      await world.close();
    }
  } finally {
    await keepTo(cores);
  }
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
  const floods = [0, ...(effort.smoke ? FLOODS.slice(0, 1) : FLOODS)];
  const found = await inRounds(effort.smoke ? 1 : 5, floods, async (connections) => {
    if (connections === 0) return measure();
    const flood = drive({ origin, connections, question: nextSignIn, check: () => {}, ...times });
    const [figures] = await Promise.all([measure(), flood]);
    return figures;
  });
  const rows = [...found].map(([connections, measured]) => ({
    name: connections === 0 ? 'nobody signs in' : `${connections} sign-ins at any time`,
    figures: {
      p50: { unit: 'ms', values: measured.map(({ p50Ms }) => p50Ms) },
      p99: { unit: 'ms', values: measured.map(({ p99Ms }) => p99Ms) },
    },
  }));
  return { title: `\`${operation}\` while others sign in`, rows };
}

/** Each from an address of its own, or the limits would be measured. */
export function nextSignIn(): Question {
  const { username, password } = ACCOUNT;
  return graphqlQuestion({ query: LOGIN, variables: { username, password } }, fromAddressOfItsOwn());
}
