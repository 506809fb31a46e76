import type { Benchmark } from './benchmark.ts';
import { compare } from './compare.ts';
import { drive } from './load.ts';
import { CREATE_TOKEN, graphqlRequest, signIn, withTestbed } from './testbed.ts';

const ROUNDS = 5;

export const createTokenBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async ({ start }) => {
    const plain = await start('bench/contestants/plainHttp.ts');
    const app = await start('bench/unlimitedServer.ts');
    const yoga = await start('bench/contestants/yoga.ts');
    const request = graphqlRequest({ query: CREATE_TOKEN }, await signIn(app));
    for (const connections of [1, 8, 64]) {
      const driven = (url: string) => () =>
        drive({ url, connections, smoke, request: () => request, expected: '"streamUrl":' });
      await compare(`createToken, ${connections} at a time`, smoke ? 1 : ROUNDS, {
        'plain node:http': driven(plain),
        'this app': driven(app),
        'GraphQL Yoga': driven(yoga),
      });
    }
  });
