import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { OPERATIONS } from '../graphql/operations.ts';
import { drive, expecting, graphqlQuestion, timesFor } from '../load.ts';
import { type Program, startProgram } from '../program.ts';
import { openWorld, PROVIDER_PATH, startApp } from '../world.ts';

const PROVIDER_MS = [0, 50, 500];

/** What the tool adds to the provider's own time, one token at a time, and what the plainest handler adds. */
export const providerTimeBenchmark: Benchmark = {
  name: 'provider-time',
  async run(effort) {
    const rows: Table['rows'] = [];
    for (const providerMs of effort.smoke ? [0] : PROVIDER_MS)
      rows.push(...(await rowsOf(providerMs, effort)));
    return [{ title: "What createToken adds to the provider's own time, one at a time", rows }];
  },
};

async function rowsOf(providerMs: number, { smoke }: Effort): Promise<Table['rows']> {
  const world = await openWorld({ providerMs });
  const programs: Program[] = [];
  try {
    const app = await startApp(world);
    programs.push(app);
    const plain = await startProgram('bench/graphql/contestants/plainHttp.ts', world.environment);
    programs.push(plain);
    const createToken = graphqlQuestion(OPERATIONS.createToken, world.authorization);
    const provider = {
      origin: world.provider.address,
      question: { method: 'GET', path: PROVIDER_PATH } as const,
    };
    const handlers = [
      { name: 'this app', origin: app.address, question: createToken },
      { name: 'plain node:http', origin: plain.address, question: createToken },
    ];
    const found = await inRounds(smoke ? 1 : 5, [provider, ...handlers], ({ origin, question }) =>
      drive({
        origin,
        connections: 1,
        question: () => question,
        check: expecting('wmsAuthSign=', origin),
        ...timesFor({ smoke }),
        ...(providerMs === 500 && { durationMs: 15_000 }),
      }),
    );
    const own = found.get(provider) ?? [];
    return handlers.map((handler) => {
      const added = (pick: 'p50Ms' | 'p99Ms'): Figure => ({
        unit: 'ms',
        values: (found.get(handler) ?? []).map(
          (figures, round) => figures[pick] - (own[round]?.[pick] ?? Number.NaN),
        ),
      });
      return {
        name: `${handler.name}, a provider of ${providerMs} ms`,
        figures: { 'added, p50': added('p50Ms'), 'added, p99': added('p99Ms') },
      };
    });
  } finally {
    for (const program of programs) await program.stop();
    await world.close();
  }
}
