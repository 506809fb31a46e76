import { Pool } from 'undici';
import { hashPassword } from '../../server/signIn/password.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { median, quantile } from '../figures.ts';
import { openWorld, startApp } from '../world.ts';

/** All as long as each other, and so is every request. */
const PASSWORD = 'secreto-1';
const KINDS = {
  'wrong password': { username: 'radio@uno.example', password: 'secreto-2' },
  'unknown username': { username: 'radio@dos.example', password: PASSWORD },
  'disabled account': { username: 'radio@off.example', password: PASSWORD },
} as const;
type Kind = keyof typeof KINDS;

const QUERY =
  'mutation($username: String!, $password: String!) { login(username: $username, password: $password) { id } }';

/**
 * Whether the time that a failed sign-in takes tells who has an account. One after the other, the kinds in random order, each
 * from an address of its own, so that no limit comes between.
 */
export const signInTimingBenchmark: Benchmark = {
  name: 'sign-in-timing',
  async run({ smoke }) {
    const [samples, warmUp] = smoke ? [3, 1] : [1_000, 100];
    const world = await openWorld();
    const app = await startApp(world);
    const pool = new Pool(app.address, { connections: 1, pipelining: 1 });
    try {
      const { username } = KINDS['disabled account'];
      await world.prisma.account.create({
        data: { username, passwordHash: await hashPassword(PASSWORD), company: 'Radio Off', disabled: true },
      });
      const kinds = Object.keys(KINDS) as Kind[];
      const timesMs = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
      let address = 0;
      for (let round = -warmUp; round < samples; round += 1) {
        for (const kind of shuffled(kinds)) {
          address += 1;
          const startMs = performance.now();
          const { body } = await pool.request({
            method: 'POST',
            path: '/graphql',
            headers: {
              'content-type': 'application/json',
              'x-forwarded-for': `198.18.${address >> 8}.${address & 0xff}`,
            },
            body: JSON.stringify({ query: QUERY, variables: KINDS[kind] }),
          });
          const answer = await body.text();
          if (round >= 0) timesMs.get(kind)?.push(performance.now() - startMs);
          if (!answer.includes('INVALID_CREDENTIALS')) throw new Error(`${kind} is answered ${answer}`);
        }
      }
      return [{ title: `sign-ins that fail, ${samples} each`, rows: rowsOf(timesMs) }];
    } finally {
      await pool.destroy();
      await app.stop();
      await world.close();
    }
  },
};

function rowsOf(timesMs: Map<Kind, number[]>): Row[] {
  const reference = median(timesMs.get('wrong password') ?? []);
  return [...timesMs].map(([kind, times]) => ({
    name: kind,
    figures: {
      median: { unit: 'ms', values: [median(times)] },
      'first quartile': { unit: 'ms', values: [quantile(times, 0.25)] },
      'third quartile': { unit: 'ms', values: [quantile(times, 0.75)] },
      'median, of a wrong password': { unit: '%', values: [(100 * median(times)) / reference] },
    },
  }));
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
