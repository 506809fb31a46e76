import { type Benchmark, compare } from '../compare.ts';
import { drive, loadLength, PER_SECOND } from '../load.ts';
import { CREATE_TOKEN, graphqlRequest } from '../requests.ts';
import { signIn, withTestbed } from '../testbed.ts';

const ROUNDS = 5;

/** Compares `createToken` on the server, on the plainest handler that does the same work, and on GraphQL Yoga. */
export const createTokenBenchmark: Benchmark = (effort) =>
  withTestbed(async (testbed) => {
    const plain = await testbed.start('bench/graphql/contestants/plainHttp.ts');
    const app = await testbed.start('bench/streamTokens/unlimitedServer.ts');
    const yoga = await testbed.start('bench/graphql/contestants/yoga.ts');
    const { session } = await signIn(app);
    const request = graphqlRequest({ query: CREATE_TOKEN }, session);
    for (const connections of [1, 8, 64]) {
      const driven = (url: string) => () =>
        drive({
          url,
          connections,
          request: () => request,
          expected: '"streamUrl":',
          ...loadLength(effort, connections),
        });
      await compare({
        title: `createToken, ${connections} at a time`,
        rounds: ROUNDS,
        effort,
        contestants: {
          'plain node:http': driven(plain.address),
          'this app': driven(app.address),
          'GraphQL Yoga': driven(yoga.address),
        },
        toFirst: { name: 'of plain', of: PER_SECOND, by: (own, plain) => own / plain },
      });
    }
  });
