import { type Benchmark, inRounds, type Table } from './benchmark.ts';
import type { Figure } from './figures.ts';
import { drive, expecting, graphqlQuestion, timesFor } from './load.ts';
import { OPERATIONS } from './operations.ts';
import { openWorld, PROVIDER_PATH, startApp } from './world.ts';

const PROVIDER_MS = [0, 50, 500];

/** What the tool adds to the provider's own time, one token at a time. */
export const providerTimeBenchmark: Benchmark = {
  name: 'provider-time',
  async run({ smoke }) {
    const rows: Table['rows'] = [];
    for (const providerMs of smoke ? [0] : PROVIDER_MS) {
      const world = await openWorld({ providerMs });
      const app = await startApp(world);
      const ways = {
        provider: {
          origin: world.provider.address,
          question: { method: 'GET', path: PROVIDER_PATH } as const,
        },
        app: { origin: app.address, question: graphqlQuestion(OPERATIONS.createToken, world.authorization) },
      };
      const found = await inRounds(smoke ? 1 : 5, ['provider', 'app'] as const, (way) =>
        drive({
          origin: ways[way].origin,
          connections: 1,
          question: () => ways[way].question,
          check: expecting('wmsAuthSign=', way),
          ...timesFor({ smoke }),
          ...(providerMs === 500 && { durationMs: 15_000 }),
        }),
      );
      await app.stop();
      await world.close();
      const added = (pick: 'p50Ms' | 'p99Ms'): Figure => ({
        unit: 'ms',
        values: (found.get('app') ?? []).map(
          (figures, round) => figures[pick] - (found.get('provider')?.[round]?.[pick] ?? Number.NaN),
        ),
      });
      rows.push({
        name: `a provider of ${providerMs} ms`,
        figures: { 'added, p50': added('p50Ms'), 'added, p99': added('p99Ms') },
      });
    }
    return [{ title: "What createToken adds to the provider's own time, one at a time", rows }];
  },
};
