import { setTimeout as delay } from 'node:timers/promises';
import { type Benchmark, type Effort, inRounds, type Table } from './benchmark.ts';
import { type CpuQuota, cpuQuota } from './cpuQuota.ts';
import { cpuTimeOfFamily, parentOf } from './cpuTime.ts';
import { type Figure, ratio } from './figures.ts';
import { OPERATIONS } from './graphql/operations.ts';
import { drive, expecting, graphqlQuestion, type LoadFigures, timesFor } from './load.ts';
import type { Program } from './program.ts';
import { openWorld, startApp, type World } from './world.ts';

const INSTANCES = [1, 2, 4];
const CONNECTIONS = 64;
const SMOKE_CONNECTIONS = 4;
/** Of a core, so that four instances, PostgreSQL, the provider and the load have enough of two. */
const SHARE = 0.2;
/** A connection of PostgreSQL adds what it did to the statistics once it has been idle for a second. */
const PUBLISHED_AFTER_MS = 1_500;

const NO_QUOTA: CpuQuota = { hold: async () => {}, remove: async () => {} };

type Round = Record<'perSecond' | 'statements' | 'processorMs', number>;

/** How throughput and the database's load grow with the instances on one database. */
export const instancesBenchmark: Benchmark = {
  name: 'instances',
  async run(effort) {
    const title = `createToken, ${CONNECTIONS} at a time, over instances on one PostgreSQL`;
    const free = await grow(title, effort, async () => NO_QUOTA);
    const held = await grow(`The same, each held to ${SHARE} of a core`, effort, (instance) =>
      cpuQuota(`${instance}`, SHARE),
    );
    return [free, held].flatMap((table) => table ?? []);
  },
};

/** @returns null where an instance has no quota */
async function grow(
  title: string,
  effort: Effort,
  quotaOf: (instance: number) => Promise<CpuQuota | null>,
): Promise<Table | null> {
  const world = await openWorld();
  const programs: Program[] = [];
  const quotas: CpuQuota[] = [];
  const counts = effort.smoke ? INSTANCES.slice(0, 2) : INSTANCES;
  try {
    while (programs.length < Math.max(...counts)) {
      const quota = await quotaOf(programs.length);
      if (quota === null) return null;
      quotas.push(quota);
      const program = await startApp(world);
      programs.push(program);
      await driveAll(world, [program], effort);
      await quota.hold(program.pid);
    }
    const found = await inRounds(effort.smoke ? 1 : 5, counts, (count) =>
      roundOf(world, programs.slice(0, count), effort),
    );
    return { title, rows: rowsOf(found) };
  } finally {
    for (const program of programs) await program.stop();
    for (const quota of quotas) await quota.remove();
    await world.close();
  }
}

async function roundOf(world: World, programs: Program[], effort: Effort): Promise<Round> {
  const before = await loadOf(world);
  const figures = await driveAll(world, programs, effort);
  const after = await loadOf(world);
  const asked = figures.reduce((sum, { answers }) => sum + answers, 0);
  return {
    perSecond: figures.reduce((sum, { perSecond }) => sum + perSecond, 0),
    statements: (after.transactions - before.transactions) / asked,
    processorMs: (after.processorMs - before.processorMs) / asked,
  };
}

function rowsOf(found: Map<number, Round[]>): Table['rows'] {
  const throughputOf = (count: number) => figureOf('/s', found.get(count) ?? [], 'perSecond');
  return [...found].map(([count, rounds]) => ({
    name: count === 1 ? 'one instance' : `${count} instances`,
    figures: {
      throughput: throughputOf(count),
      'of one': ratio(throughputOf(count), throughputOf(1)),
      'statements an operation': figureOf('', rounds, 'statements'),
      "PostgreSQL's processor time an operation": figureOf('ms', rounds, 'processorMs'),
    },
  }));
}

function figureOf(unit: string, rounds: Round[], column: keyof Round): Figure {
  return { unit, values: rounds.map((round) => round[column]) };
}

function driveAll(world: World, programs: Program[], { smoke }: Effort): Promise<LoadFigures[]> {
  const question = graphqlQuestion(OPERATIONS.createToken, world.authorization);
  return Promise.all(
    programs.map(({ address }) =>
      drive({
        origin: address,
        connections: (smoke ? SMOKE_CONNECTIONS : CONNECTIONS) / programs.length,
        question: () => question,
        check: expecting('"streamUrl":', 'the app'),
        ...timesFor({ smoke }),
      }),
    ),
  );
}

/** What PostgreSQL has done so far for the instances, each of whose statements is a transaction. */
async function loadOf({ prisma }: World) {
  await delay(PUBLISHED_AFTER_MS);
  const [row] = await prisma.$queryRaw<[{ transactions: bigint; pid: number }]>`
    SELECT pg_backend_pid() AS pid, xact_commit + xact_rollback AS transactions
    FROM pg_stat_database WHERE datname = current_database()`;
  return {
    transactions: Number(row.transactions),
    processorMs: await cpuTimeOfFamily(await parentOf(row.pid)),
  };
}
