import { Pool } from 'undici';
import { COSTLY_QUERIES, HEAVY_QUERIES } from '../../tests/support/costlyQueries.ts';
import { type Benchmark, inRounds, type Table } from '../benchmark.ts';
import { openWorld, startApp } from '../world.ts';

/** How long costly queries take to be refused, one at a time and over HTTP, and the costliest that are not to be answered. */
export const costlyQueriesBenchmark: Benchmark = {
  name: 'costly-queries',
  async run({ smoke }) {
    const world = await openWorld();
    const app = await startApp(world, { APOLLO_SANDBOX: 'on' });
    const pool = new Pool(app.address, { connections: 1, pipelining: 1 });

    async function measure(title: string, queries: Record<string, string>, status: number): Promise<Table> {
      const ask = async ([name, query]: [string, string]) => {
        const startMs = performance.now();
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/graphql',
          headers: { 'content-type': 'application/json' },
          // Another each time: one that was accepted before is not looked at again.
          body: JSON.stringify({ query: `${query} # ${Math.random()}` }),
        });
        await body.text();
        if (statusCode !== status) throw new Error(`${name} is answered with status ${statusCode}`);
        return performance.now() - startMs;
      };
      const entries = Object.entries(queries);
      await inRounds(smoke ? 1 : 20, entries, ask);
      const found = await inRounds(smoke ? 1 : 100, entries, ask);
      return {
        title,
        rows: [...found].map(([[name], values]) => ({ name, figures: { time: { unit: 'ms', values } } })),
      };
    }

    try {
      return [
        await measure('costly queries, refused', COSTLY_QUERIES, 400),
        await measure('heavy queries, answered', HEAVY_QUERIES, 200),
      ];
    } finally {
      await pool.destroy();
      await app.stop();
      await world.close();
    }
  },
};
