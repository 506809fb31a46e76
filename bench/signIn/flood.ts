import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import { difference, figure } from '../figures.ts';
import { driveWithRefusals, type Flood, type Load, loadLength, whileFlooded } from '../load.ts';
import type { Program } from '../program.ts';
import {
  CREATE_TOKEN,
  fromNewAddress,
  graphqlRequest,
  PARTNERS,
  type Request,
  signInRequest,
  usernameOf,
} from '../requests.ts';
import { knownBrowser, send, signedIn, type World, withWorld } from '../world.ts';

const ROUNDS = 3;
/** The time of the provider: long enough that each of the other accounts stays below its limit of tokens. */
const PROVIDER_MS = 100;
const FLOODER = 0;
const OTHER = 1;
const QUIET = 'quiet';
const WRONG = 'secreto-2';
/** The number of failed sign-ins after which the server refuses a network. */
const NETWORK_FAILURES = 100;

/** Floods by their name in the table; null measures without a flood. */
type Floods = Record<string, Omit<Flood, 'origin'> | null>;

/** Measures how long others wait, and whether they are served, while one account or one address floods the server. */
export const floodBenchmark: Benchmark = (effort) =>
  withWorld((world) => underFloods(world, effort), { providerMs: PROVIDER_MS });

async function underFloods(world: World, effort: Effort): Promise<Table[]> {
  const app = await world.startApp();
  const tokens: Request[] = [];
  for (let partner = 0; partner < PARTNERS; partner += 1) {
    const headers = { ...(await signedIn(app, partner)), ...fromNewAddress() };
    tokens.push(graphqlRequest({ query: CREATE_TOKEN }, headers));
  }
  const flooder = { username: usernameOf(FLOODER) };
  const ownBrowser = { ...(await knownBrowser(app, FLOODER)), ...fromNewAddress() };
  const floods: Floods = {
    [QUIET]: null,
    'one account signs in with its right password in its own browser': {
      connections: 300,
      requests: [signInRequest(flooder, ownBrowser)],
    },
    'an address that is already refused signs in': {
      connections: 1_500,
      requests: [signInRequest({ ...flooder, password: WRONG }, await refusedAddress(app))],
    },
    'one account signs in from many addresses': {
      connections: 64,
      requests: Array.from({ length: 2_000 }, () =>
        signInRequest({ ...flooder, password: WRONG }, fromNewAddress()),
      ),
    },
    'one account creates tokens': { connections: 400, requests: tokens.slice(FLOODER, OTHER) },
  };
  const known: Array<{ cookie: string }> = [];
  for (let partner = 0; partner < PARTNERS; partner += 1) known.push(await knownBrowser(app, partner));
  const login = { origin: app.address, request: othersSignIn(), expected: '"jwt":' };
  const inKnownBrowser = { ...login, request: othersSignIn(known) };
  const createToken = {
    ...login,
    request: inTurn(tokens.slice(OTHER)),
    expected: '"streamUrl":',
  };
  return [
    await othersDuring(floods, 'login of others in new browsers, one at a time', login, effort),
    await othersDuring(floods, 'login of others in known browsers, one at a time', inKnownBrowser, effort),
    await othersDuring(
      floods,
      `createToken of others, one at a time, provider of ${PROVIDER_MS} ms`,
      createToken,
      effort,
    ),
  ];
}

/** Returns a function that hands out the requests in order, starting again after the last. */
function inTurn(requests: Request[]): () => Request {
  let sent = 0;
  return () => {
    sent += 1;
    return requests[sent % requests.length] as Request;
  };
}

/** Returns a function that makes sign-ins of all partners but the flooder, in turn, each from a new address. */
function othersSignIn(known: Array<{ cookie: string }> = []): () => Request {
  let signIns = 0;
  return () => {
    const partner = OTHER + (signIns % (PARTNERS - OTHER));
    signIns += 1;
    return signInRequest({ username: usernameOf(partner) }, { ...fromNewAddress(), ...known[partner] });
  };
}

/** Fails enough sign-ins from a new address that the server refuses it; returns the header of that address. */
async function refusedAddress(app: Program): Promise<Record<string, string>> {
  const address = fromNewAddress();
  for (let failure = 0; failure < NETWORK_FAILURES; failure += 1) {
    const request = signInRequest({ username: `nobody-${failure}@uno.example`, password: WRONG }, address);
    await (await send(app, request)).body.dump();
  }
  return address;
}

async function othersDuring(
  floods: Floods,
  title: string,
  others: Pick<Load, 'origin' | 'request' | 'expected'>,
  effort: Effort,
): Promise<Table> {
  const measure = () => driveWithRefusals({ ...others, connections: 1, length: loadLength(effort) });
  const found = await inRounds(effort.smoke ? 1 : ROUNDS, Object.keys(floods), (name) => {
    const flood = floods[name];
    return flood ? whileFlooded({ origin: others.origin, ...flood }, measure) : measure();
  });
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
  return { title, rows };
}
