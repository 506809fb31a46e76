import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Effort, Table } from './benchmark.ts';
import { type CpuQuota, cpuQuota } from './cpuQuota.ts';
import { cpuTimeOfFamily, parentOf } from './cpuTime.ts';
import { type Figure, ratio } from './figures.ts';
import { drive, expecting, graphqlQuestion, type LoadFigures, timesFor } from './load.ts';
import { OPERATIONS } from './operations.ts';
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

type Round = Record<'perSecond' | 'statements' | 'processorMs' | 'connections', number>;

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
  try {
    const measured: { count: number; rounds: Round[] }[] = [];
    for (const count of effort.smoke ? [1, 2] : INSTANCES) {
      while (programs.length < count) {
        const quota = await quotaOf(programs.length);
        if (quota === null) return null;
        quotas.push(quota);
        const program = await startApp(world);
        programs.push(program);
        await driveAll(world, [program], effort);
        await quota.hold(program.pid);
      }
      const rounds: Round[] = [];
      for (let round = 0; round < (effort.smoke ? 1 : 5); round += 1) {
        rounds.push(await roundOf(world, programs, effort));
      }
      measured.push({ count, rounds });
    }
    return { title, rows: rowsOf(measured) };
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
    connections: after.connections,
  };
}

function rowsOf(measured: { count: number; rounds: Round[] }[]): Table['rows'] {
  const throughputOf = (rounds: Round[] = []) => figureOf('/s', rounds, 'perSecond');
  const alone = throughputOf(measured[0]?.rounds);
  return measured.map(({ count, rounds }) => ({
    name: count === 1 ? 'one instance' : `${count} instances`,
    figures: {
      throughput: throughputOf(rounds),
      'of one': ratio(throughputOf(rounds), alone),
      'statements an operation': figureOf('', rounds, 'statements'),
      "PostgreSQL's processor time an operation": figureOf('ms', rounds, 'processorMs'),
      connections: figureOf('', rounds, 'connections'),
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
  const [row] = await prisma.$queryRaw<[{ transactions: bigint; connections: bigint; pid: number }]>`
    SELECT pg_backend_pid() AS pid, xact_commit + xact_rollback AS transactions,
      (SELECT count(*) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS connections
    FROM pg_stat_database WHERE datname = current_database()`;
  return {
    transactions: Number(row.transactions),
    connections: Number(row.connections),
    processorMs: await cpuTimeOfFamily(await parentOf(row.pid)),
  };
}
