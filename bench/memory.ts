import { readFile } from 'node:fs/promises';
import { deleteExpiredRows } from '../server/database/expiredRows.ts';
import type { Benchmark, Row } from './benchmark.ts';
import type { Figure } from './figures.ts';
import { OPERATIONS } from './graphql/operations.ts';
import { drive, expecting, graphqlQuestion } from './load.ts';
import type { Program } from './program.ts';
import { nextSignIn } from './signIn/signIn.ts';
import { openWorld, startApp, type World } from './world.ts';

const OPERATIONS_DONE = 100_000;
/** One a minute from each of 20 partners, far more than there are. */
const SESSIONS_A_DAY = 24 * 60 * 20;
const CONNECTIONS = 16;
const SIGN_INS_AT_ONCE = 4;
const STARTS = 5;
const KIB_PER_MB = 1e6 / 1024;

/** What the server's process keeps in memory: at rest, after many operations, after a day's sign-ins. */
export const memoryBenchmark: Benchmark = {
  name: 'memory',
  async run({ smoke }) {
    const world = await openWorld();
    let app: Program | null = null;
    try {
      const memory: Record<string, Figure> = { 'at rest': await atRest(world, smoke ? 1 : STARTS) };
      app = await startApp(world);
      const createToken = graphqlQuestion(OPERATIONS.createToken, world.authorization);
      const work = { origin: app.address, connections: CONNECTIONS, warmUpMs: 0, durationMs: 0 };
      for (const operations of smoke ? [10] : [OPERATIONS_DONE / 2, OPERATIONS_DONE / 2]) {
        await drive({
          ...work,
          answers: operations,
          question: () => createToken,
          check: expecting('"streamUrl":', 'the app'),
        });
        const done = 'after 50,000 operations' in memory ? '100,000' : '50,000';
        memory[`after ${done} operations`] = await residentOf(app.pid);
      }
      const signIns = smoke ? 10 : SESSIONS_A_DAY;
      await drive({
        ...work,
        connections: SIGN_INS_AT_ONCE,
        answers: signIns,
        question: nextSignIn,
        check: expecting('"jwt":', 'the app'),
      });
      memory[`after ${signIns} sign-ins, a day's`] = await residentOf(app.pid);
      return [
        {
          title: "The server's process, resident",
          rows: Object.entries(memory).map(([name, resident]) => ({ name, figures: { resident } })),
        },
        { title: 'Rows in the database', rows: await rowsLeft(world) },
      ];
    } finally {
      await app?.stop();
      await world.close();
    }
  },
};

/** As soon as it listens, of several starts. */
async function atRest(world: World, starts: number): Promise<Figure> {
  const values: number[] = [];
  while (values.length < starts) {
    const app = await startApp(world);
    values.push(...(await residentOf(app.pid)).values);
    await app.stop();
  }
  return { unit: 'MB', values };
}

async function residentOf(pid: number): Promise<Figure> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { unit: 'MB', values: [kibibytes / KIB_PER_MB] };
}

/** What the sign-ins left in the database, before and after the pruning that every instance does hourly. */
async function rowsLeft({ prisma }: World): Promise<Row[]> {
  const count = async (): Promise<Row['figures']> => ({
    sessions: { unit: '', values: [await prisma.session.count()] },
    'counts of attempts': { unit: '', values: [await prisma.attemptCount.count()] },
  });
  const tomorrow = new Date(Date.now() + 24 * 3_600_000);
  const before = { name: 'as the sign-ins left them', figures: await count() };
  await deleteExpiredRows(prisma, { now: tomorrow, ledgerDays: 1 });
  return [before, { name: 'a day later, pruned', figures: await count() }];
}
