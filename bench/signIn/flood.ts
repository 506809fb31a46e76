import { query } from '../../tests/support/query.ts';
import { type Benchmark, compare, type Figures } from '../compare.ts';
import { drive, type Flood, loadLength, P50_MS, whileFlooded } from '../load.ts';
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
import { send, signIn, withTestbed } from '../testbed.ts';

const ROUNDS = 3;
/** The time of the provider: long enough that each of the other accounts stays below its limit of tokens. */
const PROVIDER_MS = 100;
const FLOODER = 0;
/** Must not sign in again: its oldest session, which the flood uses, would be ended. */
const TOKEN_FLOODER = 1;
/** The first of the partners who do not flood. */
const OTHER = 2;
const WRONG_PASSWORD = { password: 'secreto-2' };
const NETWORK_FAILURES = 100;
const RECORDS = 400_000;

/** Finds nothing, and so looks at all. */
const SEARCH = '{ tokens(first: 100, filter: { outcome: PROVIDER_BAD_ANSWER }) { nodes { id } } }';

type Floods = Record<string, Omit<Flood, 'url'>>;

/** Measures how long others wait, and whether they are served, while one account or one address floods the server. */
export const floodBenchmark: Benchmark = (effort) =>
  withTestbed(
    async (testbed) => {
      const app = await testbed.startApp();
      await addRecords(testbed.environment.DATABASE_URL, usernameOf(TOKEN_FLOODER));
      const sessions: Array<Record<string, string>> = [];
      const browsers: Array<Record<string, string>> = [];
      for (let partner = 0; partner < PARTNERS; partner += 1) {
        const { session, browser } = await signIn(app, partner);
        sessions.push({ ...session, ...fromNewAddress() });
        browsers.push(browser);
      }
      const floods = {
        ...(await floodsOfSignIns(app, browsers[FLOODER])),
        ...floodsOfOperations(sessions[TOKEN_FLOODER]),
      };
      async function othersDuringFloods(
        title: string,
        expected: string,
        requestOf: (partner: number) => Request,
      ): Promise<void> {
        const others = { url: app.address, connections: 1, request: inTurn(requestOf), expected };
        const measure = () => drive({ ...others, countsWrong: true, ...loadLength(effort, 1) });
        const contestants: Record<string, () => Promise<Figures>> = { quiet: measure };
        for (const [name, flood] of Object.entries(floods)) {
          contestants[name] = () => whileFlooded({ url: app.address, ...flood }, measure);
        }
        await compare({
          title: `${title}, one at a time`,
          rounds: ROUNDS,
          effort,
          contestants,
          toFirst: { name: 'p50 above quiet (ms)', of: P50_MS, by: (own, quiet) => own - quiet },
        });
      }
      // Tokens first: the sign-ins of the other tables end the oldest sessions.
      await othersDuringFloods(
        `createToken of others, provider of ${PROVIDER_MS} ms`,
        '"streamUrl":',
        (partner) => graphqlRequest({ query: CREATE_TOKEN }, sessions[partner]),
      );
      await othersDuringFloods('login of others in new browsers', '"jwt":', (partner) =>
        signInRequest(partner, fromNewAddress()),
      );
      await othersDuringFloods('login of others in known browsers', '"jwt":', (partner) =>
        signInRequest(partner, { ...fromNewAddress(), ...browsers[partner] }),
      );
    },
    { providerMs: PROVIDER_MS },
  );

async function floodsOfSignIns(app: Program, ownBrowser: Record<string, string> = {}): Promise<Floods> {
  const fromAnywhere = () => signInRequest(FLOODER, fromNewAddress(), WRONG_PASSWORD);
  return {
    'one account signs in with its right password in its own browser': {
      connections: 300,
      requests: [signInRequest(FLOODER, { ...ownBrowser, ...fromNewAddress() })],
    },
    'an address that is already refused signs in': {
      connections: 1_500,
      requests: [signInRequest(FLOODER, await refusedAddress(app), WRONG_PASSWORD)],
    },
    'one account signs in from many addresses': {
      connections: 64,
      requests: Array.from({ length: 2_000 }, fromAnywhere),
    },
  };
}

function floodsOfOperations(session: Record<string, string> = {}): Floods {
  return {
    'one account creates tokens': {
      connections: 400,
      requests: [graphqlRequest({ query: CREATE_TOKEN }, session)],
    },
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
      requests: [graphqlRequest({ query: SEARCH }, session)],
    },
  };
}

/** Returns a function that makes a request of each partner but the flooders, over and over. */
function inTurn(requestOf: (partner: number) => Request): () => Request {
  let sent = 0;
  return () => requestOf(OTHER + (sent++ % (PARTNERS - OTHER)));
}

/** Fails enough sign-ins from a new address that the server refuses it; returns the header of that address. */
async function refusedAddress(app: Program): Promise<Record<string, string>> {
  const address = fromNewAddress();
  for (let failure = 0; failure < NETWORK_FAILURES; failure += 1) {
    const unknown = { username: `nobody-${failure}@uno.example` };
    await (await send(app, signInRequest(FLOODER, address, unknown))).body.dump();
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
async function addRecords(databaseUrl: string, username: string): Promise<void> {
  await query(
    databaseUrl,
    `INSERT INTO token_records (id, account_id, created_at, outcome, client)
    SELECT (lpad(to_hex(1750000000000 + n * 1000), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
      accounts.id, to_timestamp(1750000000 + n), 'PROVIDER_UNAVAILABLE', 'TOOL'
    FROM accounts, generate_series(1, ${RECORDS}) AS n WHERE username = '${username}'`,
  );
  await query(databaseUrl, 'ANALYZE token_records');
}
