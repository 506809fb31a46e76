import { type Benchmark, inRounds } from './benchmark.ts';
import { figure, ratio } from './figures.ts';
import { drive, loadLength } from './load.ts';
import { CREATE_TOKEN, graphqlRequest } from './requests.ts';
import { signedIn, withWorld } from './world.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;

/** Compares two instances on one database with one. The second gains most where two cores are free for them. */
export const instancesBenchmark: Benchmark = (effort) =>
  withWorld(async (world) => {
    const first = await world.startUnlimitedApp();
    const second = await world.startUnlimitedApp();
    const request = graphqlRequest({ query: CREATE_TOKEN }, await signedIn(first));
    const one = [first];
    const two = [first, second];
    const found = await inRounds(effort.smoke ? 1 : ROUNDS, [one, two], async (instances) => {
      const figures = await Promise.all(
        instances.map(({ address }) =>
          drive({
            origin: address,
            connections: CONNECTIONS / instances.length,
            request,
            expected: '"streamUrl":',
            length: loadLength(effort),
          }),
        ),
      );
      return figures.reduce((sum, { perSecond }) => sum + perSecond, 0);
    });
    const throughputOfOne = figure('/s', found.get(one), Number);
    return [
      {
        title: `createToken, ${CONNECTIONS} at a time, over instances on one PostgreSQL`,
        rows: [one, two].map((instances) => {
          const throughput = figure('/s', found.get(instances), Number);
          return {
            name: `instances: ${instances.length}`,
            figures: { throughput, 'of one': ratio(throughput, throughputOfOne) },
          };
        }),
      },
    ];
  });
