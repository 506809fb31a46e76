import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import { figure } from '../figures.ts';
import { driveWithRefusals, type Load, loadLength } from '../load.ts';
import {
  CREATE_TOKEN,
  fromNewAddress,
  graphqlRequest,
  nextSignIn,
  signInRequest,
  usernameOf,
} from '../requests.ts';
import { signedIn, withWorld } from '../world.ts';

const FLOOD_CONNECTIONS = 64;
const ROUNDS = 5;
const FLOODER = 0;
const OTHER = 1;
const QUIET = 'quiet';

/** The requests of each flood; null for none. */
type Floods = Record<string, Load['request'] | null>;

/** Measures how long others wait, and whether they are served, while one account or one address floods the server. */
export const floodBenchmark: Benchmark = (effort) =>
  withWorld(async (world) => {
    const app = await world.startApp();
    const createTokenOf = async (partner: number) =>
      graphqlRequest({ query: CREATE_TOKEN }, await signedIn(app, partner));
    const wrong = { username: usernameOf(FLOODER), password: 'secreto-2' };
    const oneAddress = fromNewAddress();
    const floods: Floods = {
      [QUIET]: null,
      'one account signs in from many addresses': () => signInRequest(wrong, fromNewAddress()),
      'one address signs in to many accounts': () =>
        signInRequest({ username: `${Math.random()}@uno.example` }, oneAddress),
      'one account creates tokens': await createTokenOf(FLOODER),
    };
    const login = { origin: app.address, request: nextSignIn, expected: '"jwt":' };
    const createToken = { ...login, request: await createTokenOf(OTHER), expected: '"streamUrl":' };
    return [
      await othersDuring(floods, 'login of others, one at a time', login, effort),
      await othersDuring(floods, 'createToken of another account, one at a time', createToken, effort),
    ];
  });

async function othersDuring(
  floods: Floods,
  title: string,
  others: Pick<Load, 'origin' | 'request' | 'expected'>,
  effort: Effort,
): Promise<Table> {
  const length = loadLength(effort);
  const found = await inRounds(effort.smoke ? 1 : ROUNDS, Object.keys(floods), async (name) => {
    const flood = floods[name];
    const [figures] = await Promise.all([
      driveWithRefusals({ ...others, connections: 1, length }),
      flood && driveWithRefusals({ ...others, request: flood, connections: FLOOD_CONNECTIONS, length }),
    ]);
    return figures;
  });
  const rows = [...found].map(([name, measured]) => ({
    name,
    figures: {
      p50: figure('ms', measured, ({ p50Ms }) => p50Ms),
      p99: figure('ms', measured, ({ p99Ms }) => p99Ms),
      'answered correctly': figure('%', measured, ({ correct }) => 100 * correct),
    },
  }));
  return { title, rows };
}
