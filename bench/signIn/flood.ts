import { query } from '../../tests/support/query.ts';
import { type Benchmark, type Effort, inRounds, type Table } from '../benchmark.ts';
import { difference, figure } from '../figures.ts';
import {
  driveWithRefusals,
  type Flood,
  type Load,
  type LoadFigures,
  loadLength,
  whileFlooded,
} from '../load.ts';
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
import { knownBrowser, send, signedIn, type Testbed, withTestbed } from '../testbed.ts';

const ROUNDS = 3;
/** The time of the provider: long enough that each of the other accounts stays below its limit of tokens. */
const PROVIDER_MS = 100;
const FLOODER = 0;
/** Never signs in again, since the oldest of 50 sessions would end, and with it the flood. */
const TOKEN_FLOODER = 1;
const OTHER = 2;
const QUIET = 'quiet';
const WRONG = 'secreto-2';
const NETWORK_FAILURES = 100;
const RECORDS = 400_000;

/** Finds nothing, and so looks at all. */
const SEARCH = '{ tokens(first: 100, filter: { outcome: PROVIDER_BAD_ANSWER }) { nodes { id } } }';

type Floods = Record<string, Omit<Flood, 'origin'>>;

/** Measures how long others wait, and whether they are served, while one account or one address floods the server. */
export const floodBenchmark: Benchmark = (effort) =>
  withTestbed((testbed) => underFloods(testbed, effort), { providerMs: PROVIDER_MS });

async function underFloods(testbed: Testbed, effort: Effort): Promise<Table[]> {
  const app = await testbed.startApp();
  const tokens: Request[] = [];
  for (let partner = 0; partner < PARTNERS; partner += 1) {
    const headers = { ...(await signedIn(app, partner)), ...fromNewAddress() };
    tokens.push(graphqlRequest({ query: CREATE_TOKEN }, headers));
  }
  const flooder = { username: usernameOf(FLOODER) };
  const ownBrowser = { ...(await knownBrowser(app, FLOODER)), ...fromNewAddress() };
  const floods: Floods = {
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
    'one account creates tokens': { connections: 400, requests: tokens.slice(TOKEN_FLOODER, OTHER) },
  };
  await addRecords(testbed, usernameOf(TOKEN_FLOODER));
  const costlyFloods: Floods = {
    'one network sends 160 conflicting aliases': {
      connections: 32,
      requests: documents(160, (index) => (index % 2 === 0 ? 'a: id' : 'a: company')),
    },
    'three networks send as many fields as are allowed': {
      connections: 120,
      requests: [0, 1, 2].flatMap(() => documents(290, () => 'id')),
    },
    'one account searches its record': {
      connections: 30,
      requests: [
        graphqlRequest({ query: SEARCH }, { ...(await signedIn(app, TOKEN_FLOODER)), ...fromNewAddress() }),
      ],
    },
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
  // Tokens first: the sign-ins of the other tables end the oldest sessions.
  return [
    await othersDuring(
      { ...floods, ...costlyFloods },
      `createToken of others, one at a time, provider of ${PROVIDER_MS} ms`,
      createToken,
      effort,
    ),
    await othersDuring(floods, 'login of others in new browsers, one at a time', login, effort),
    await othersDuring(floods, 'login of others in known browsers, one at a time', inKnownBrowser, effort),
  ];
}

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

/** Makes documents of one network, which differ in their names, since a server may keep those that it has validated. */
function documents(fields: number, field: (index: number) => string): Request[] {
  const network = fromNewAddress();
  const selections = Array.from({ length: fields }, (_, index) => field(index)).join(' ');
  return Array.from({ length: 100 }, (_, index) =>
    graphqlRequest({ query: `query Costly${index} { session { ${selections} } }` }, network),
  );
}

/** Adds records of tokens, a second apart. */
async function addRecords({ environment }: Testbed, username: string): Promise<void> {
  await query(
    environment.DATABASE_URL,
    `INSERT INTO token_records (id, account_id, created_at, outcome, client)
    SELECT (lpad(to_hex(1750000000000 + n * 1000), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
      accounts.id, to_timestamp(1750000000 + n), 'PROVIDER_UNAVAILABLE', 'TOOL'
    FROM accounts, generate_series(1, ${RECORDS}) AS n WHERE username = '${username}'`,
  );
  await query(environment.DATABASE_URL, 'ANALYZE token_records');
}

async function othersDuring(
  floods: Floods,
  title: string,
  others: Pick<Load, 'origin' | 'request' | 'expected'>,
  effort: Effort,
): Promise<Table> {
  const measure = () => driveWithRefusals({ ...others, connections: 1, length: loadLength(effort) });
  const contestants: Record<string, typeof measure> = { [QUIET]: measure };
  for (const [name, flood] of Object.entries(floods)) {
    contestants[name] = () => whileFlooded({ origin: others.origin, ...flood }, measure);
  }
  const found = await inRounds(effort.smoke ? 1 : ROUNDS, contestants);
  const p50Of = (measured: LoadFigures[] = []) => measured.map(({ p50Ms }) => p50Ms);
  const rows = Object.entries(found).map(([name, measured]) => {
    const p99 = measured.map(({ p99Ms }) => p99Ms);
    const correct = measured.map((figures) => 100 * figures.correct);
    return [
      name,
      {
        p50: figure(p50Of(measured), 'ms'),
        'above quiet': difference(p50Of(measured), p50Of(found[QUIET]), 'ms'),
        p99: figure(p99, 'ms'),
        'answered correctly': figure(correct, '%'),
      },
    ];
  });
  return { title, rows: Object.fromEntries(rows) };
}
