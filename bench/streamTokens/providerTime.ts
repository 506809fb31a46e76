import { type Benchmark, type Effort, inRounds, type Row } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { drive, loadLength } from '../load.ts';
import { CREATE_TOKEN, graphqlRequest, type Request } from '../requests.ts';
import { PROVIDER_PATH, signedIn, type World, withWorld } from '../world.ts';

const PROVIDER_MS = [0, 50];
const ROUNDS = 5;
const PAGE: Request = { method: 'GET', path: PROVIDER_PATH };

/** Measures the time that `createToken` adds to the provider's own, one token at a time. */
export const providerTimeBenchmark: Benchmark = async (effort) => {
  const rows: Row[] = [];
  for (const providerMs of PROVIDER_MS) {
    const added = await withWorld((world) => addedTimes(world, effort), { providerMs });
    rows.push(
      ...added.map(({ name, figures }) => ({ name: `${name}, provider of ${providerMs} ms`, figures })),
    );
  }
  return [{ title: "createToken beyond the provider's own time, one at a time", rows }];
};

async function addedTimes(world: World, effort: Effort): Promise<Row[]> {
  const app = await world.startUnlimitedApp();
  const plain = await world.startContestant('plainHttp');
  const createToken = graphqlRequest({ query: CREATE_TOKEN }, await signedIn(app));
  const provider = { name: 'the provider', origin: world.provider.address, request: PAGE };
  const handlers = [
    { name: 'this app', origin: app.address, request: createToken },
    { name: 'plain node:http', origin: plain.address, request: createToken },
  ];
  const found = await inRounds(effort.smoke ? 1 : ROUNDS, [provider, ...handlers], ({ origin, request }) =>
    drive({ origin, connections: 1, request, expected: 'wmsAuthSign=', length: loadLength(effort) }),
  );
  const own = found.get(provider) ?? [];
  return handlers.map((handler) => {
    const measured = found.get(handler) ?? [];
    const added = (percentile: 'p50Ms' | 'p99Ms'): Figure => ({
      unit: 'ms',
      values: measured.map((figures, round) => figures[percentile] - (own[round]?.[percentile] ?? NaN)),
    });
    return { name: handler.name, figures: { p50: added('p50Ms'), p99: added('p99Ms') } };
  });
}
