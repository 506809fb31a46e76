import { type Benchmark, inRounds } from '../benchmark.ts';
import { difference, figure } from '../figures.ts';
import { driveWithRefusals, loadLength, whileFlooded } from '../load.ts';
import { CREATE_TOKEN, fromNewAddress, graphqlRequest, PARTNERS } from '../requests.ts';
import { signedIn, withWorld } from '../world.ts';

const ROUNDS = 3;
const PROVIDER_MS = 1_000;
const FLOOD_CONNECTIONS = 400;
/** So few that each of the others asks less often than its limit allows. */
const OTHER_CONNECTIONS = 8;
const QUIET = 'quiet';

/** Measures how long others wait for their tokens while one account creates tokens in a loop, by its tools and by its browsers. */
export const tokenFloodBenchmark: Benchmark = (effort) =>
  withWorld(
    async (world) => {
      const app = await world.startApp();
      const sessions: Array<Record<string, string>> = [];
      for (let partner = 0; partner < PARTNERS; partner += 1) {
        sessions.push({ ...(await signedIn(app, partner)), ...fromNewAddress() });
      }
      const [flooder = {}, ...others] = sessions;
      const createToken = (headers: Record<string, string>) =>
        graphqlRequest({ query: CREATE_TOKEN }, headers);
      const { authorization = '', ...address } = flooder;
      const cookie = authorization.replace('Bearer ', 'session=');
      const flood = {
        origin: app.address,
        connections: FLOOD_CONNECTIONS,
        requests: [createToken(flooder), createToken({ cookie, ...address })],
      };
      let asked = 0;
      const measure = () =>
        driveWithRefusals({
          origin: app.address,
          connections: OTHER_CONNECTIONS,
          request: () => {
            asked += 1;
            return createToken(others[asked % others.length] ?? {});
          },
          expected: '"streamUrl":',
          length: loadLength(effort),
        });
      const found = await inRounds(
        effort.smoke ? 1 : ROUNDS,
        [QUIET, 'one account creates tokens, over 400 connections'],
        (name) => (name === QUIET ? measure() : whileFlooded(flood, measure)),
      );
      const quiet = figure('ms', found.get(QUIET), ({ p50Ms }) => p50Ms);
      const rows = [...found].map(([name, measured]) => {
        const p50 = figure('ms', measured, ({ p50Ms }) => p50Ms);
        return {
          name,
          figures: {
            p50,
            'above quiet': difference(p50, quiet),
            p99: figure('ms', measured, ({ p99Ms }) => p99Ms),
            'answered correctly': figure('%', measured, ({ correct }) => 100 * correct),
          },
        };
      });
      return [
        {
          title: `createToken of others, ${OTHER_CONNECTIONS} at a time, provider of ${PROVIDER_MS} ms`,
          rows,
        },
      ];
    },
    { providerMs: PROVIDER_MS },
  );
