import { readFile } from 'node:fs/promises';
import { createSessions } from '../server/sessions/sessions.ts';
import { signingKeys } from '../server/sessions/signedToken.ts';
import type { Benchmark } from './benchmark.ts';
import type { Figure } from './figures.ts';
import { drive, expecting, graphqlQuestion } from './load.ts';
import { OPERATIONS } from './operations.ts';
import { ACCOUNT, openWorld, startApp, type World } from './world.ts';

const OPERATIONS_DONE = 100_000;
/** One a minute from each of 20 partners, far more than there are. */
const SESSIONS_A_DAY = 24 * 60 * 20;
const CONNECTIONS = 16;
const KIB_PER_MB = 1e6 / 1024;

/** What the server's process keeps in memory: at rest, after many operations, after a day's sessions. */
export const memoryBenchmark: Benchmark = {
  name: 'memory',
  async run({ smoke }) {
    const world = await openWorld();
    const app = await startApp(world);
    try {
      const memory: Record<string, Figure> = { 'at rest': await residentOf(app.pid) };
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
      const tokens = await sessionTokens(world, smoke ? 10 : SESSIONS_A_DAY);
      await drive({
        ...work,
        answers: tokens.length,
        question: () =>
          graphqlQuestion(OPERATIONS.session, { authorization: `Bearer ${tokens.pop() ?? ''}` }),
        check: () => {},
      });
      memory["after a day's sessions"] = await residentOf(app.pid);
      return [
        {
          title: "The server's process, resident",
          rows: Object.entries(memory).map(([name, resident]) => ({ name, figures: { resident } })),
        },
      ];
    } finally {
      await app.stop();
      await world.close();
    }
  },
};

async function residentOf(pid: number): Promise<Figure> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { unit: 'MB', values: [kibibytes / KIB_PER_MB] };
}

async function sessionTokens({ database, environment }: World, count: number): Promise<string[]> {
  const account = await database.prisma.account.findUniqueOrThrow({ where: { username: ACCOUNT.username } });
  const sessions = createSessions(database, signingKeys(environment.JWT_SECRET), () => new Date());
  const tokens: string[] = [];
  while (tokens.length < count) {
    const started = await Promise.all(
      Array.from({ length: Math.min(CONNECTIONS, count - tokens.length) }, () => sessions.start(account)),
    );
    for (const one of started) if (one !== null) tokens.push(one.jwt);
  }
  return tokens;
}
