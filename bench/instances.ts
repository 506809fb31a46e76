import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Table } from './benchmark.ts';
import { ratio } from './figures.ts';
import { drive, expecting, graphqlQuestion, type LoadFigures, timesFor } from './load.ts';
import { OPERATIONS } from './operations.ts';
import type { Program } from './program.ts';
import { openWorld, startApp, type World } from './world.ts';

const INSTANCES = [1, 2, 4];
const CONNECTIONS = 64;
/** A connection of PostgreSQL adds what it did to the statistics once it has been idle for a second. */
const PUBLISHED_AFTER_MS = 1_500;

/** How throughput and the database's load grow with the instances on one database. */
export const instancesBenchmark: Benchmark = {
  name: 'instances',
  async run(effort) {
    const world = await openWorld();
    const programs: Program[] = [];
    try {
      const measured: { count: number; perSecond: number[]; transactions: number[] }[] = [];
      for (const count of effort.smoke ? [1, 2] : INSTANCES) {
        while (programs.length < count) programs.push(await startApp(world));
        const one = { count, perSecond: [] as number[], transactions: [] as number[] };
        for (let round = 0; round < (effort.smoke ? 1 : 5); round += 1) {
          const before = await transactionsOf(world);
          const figures = await driveAll(world, programs, effort);
          const asked = figures.reduce((sum, { answers }) => sum + answers, 0);
          one.perSecond.push(figures.reduce((sum, { perSecond }) => sum + perSecond, 0));
          one.transactions.push(((await transactionsOf(world)) - before) / asked);
        }
        measured.push(one);
      }
      const alone = { unit: '/s', values: measured[0]?.perSecond ?? [] };
      const rows: Table['rows'] = measured.map(({ count, perSecond, transactions }) => ({
        name: count === 1 ? 'one instance' : `${count} instances`,
        figures: {
          throughput: { unit: '/s', values: perSecond },
          'of one': ratio({ unit: '/s', values: perSecond }, alone),
          'transactions an operation': { unit: '', values: transactions },
        },
      }));
      return [{ title: `createToken, ${CONNECTIONS} at a time, over instances on one PostgreSQL`, rows }];
    } finally {
      for (const program of programs) await program.stop();
      await world.close();
    }
  },
};

function driveAll(world: World, programs: Program[], effort: { smoke: boolean }): Promise<LoadFigures[]> {
  const question = graphqlQuestion(OPERATIONS.createToken, world.authorization);
  return Promise.all(
    programs.map(({ address }) =>
      drive({
        origin: address,
        connections: CONNECTIONS / programs.length,
        question: () => question,
        check: expecting('"streamUrl":', 'the app'),
        ...timesFor(effort),
      }),
    ),
  );
}

/** Those that PostgreSQL has done so far. */
async function transactionsOf(world: World): Promise<number> {
  await delay(PUBLISHED_AFTER_MS);
  const rows = await world.prisma.$queryRaw<{ done: bigint }[]>`
    SELECT xact_commit + xact_rollback AS done FROM pg_stat_database WHERE datname = current_database()`;
  return Number(rows[0]?.done ?? 0);
}
