import { query } from '../tests/support/query.ts';
import type { Benchmark } from './benchmark.ts';
import { compare, type Figures } from './compare.ts';
import { drive, type Request, whileFlooded } from './load.ts';
import {
  CREATE_TOKEN,
  fromNewNetwork,
  graphqlRequest,
  PARTNERS,
  signIn,
  signInRequest,
  usernameOf,
  withTestbed,
} from './testbed.ts';

const ROUNDS = 3;
/** The time of the provider: long enough that each of the other accounts stays below its limit of tokens. */
const PROVIDER_MS = 100;
const FLOODER = 0;
/** Must not sign in again: its oldest session, which the flood uses, would be ended. */
const TOKEN_FLOODER = 1;
const OTHER = 2;
const RECORDS = 400_000;

/** Matches no record, so the search reads all of them. */
const SEARCH = '{ tokens(first: 100, filter: { outcome: PROVIDER_BAD_ANSWER }) { nodes { id } } }';

/** Measures how long others wait, and whether they are served, while one network floods the server. */
export const floodBenchmark: Benchmark = ({ smoke }) =>
  withTestbed(async ({ databaseUrl, startApp }) => {
    const url = await startApp();
    await addRecords(databaseUrl, usernameOf(TOKEN_FLOODER));
    const sessions: Array<Record<string, string>> = [];
    for (let partner = 0; partner < PARTNERS; partner += 1) {
      sessions.push({ ...(await signIn(url, partner)), ...fromNewNetwork() });
    }
    const ofFlooder = sessions[TOKEN_FLOODER];
    const floods = {
      'one network signs in': {
        connections: 1_500,
        request: signInRequest(FLOODER, fromNewNetwork(), 'secreto-2'),
      },
      'one network creates tokens': {
        connections: 400,
        request: graphqlRequest({ query: CREATE_TOKEN }, ofFlooder),
      },
      'one network searches its record': {
        connections: 30,
        request: graphqlRequest({ query: SEARCH }, ofFlooder),
      },
    };
    async function othersDuringFloods(
      title: string,
      expected: string,
      requestOf: (partner: number) => Request,
    ) {
      let sent = 0;
      const request = () => requestOf(OTHER + (sent++ % (PARTNERS - OTHER)));
      const measure = () => drive({ url, connections: 1, smoke, request, expected, countsWrong: !smoke });
      const contestants: Record<string, () => Promise<Figures>> = { quiet: measure };
      for (const [name, flood] of Object.entries(floods)) {
        contestants[name] = () => whileFlooded({ url, ...flood }, measure);
      }
      await compare(`${title} of others, one at a time`, smoke ? 1 : ROUNDS, contestants);
    }
    // Tokens first: the sign-ins of the other table end the oldest sessions.
    await othersDuringFloods(
      `createToken (the provider takes ${PROVIDER_MS} ms)`,
      '"streamUrl":',
      (partner) => graphqlRequest({ query: CREATE_TOKEN }, sessions[partner]),
    );
    await othersDuringFloods('login', '"jwt":', (partner) => signInRequest(partner, fromNewNetwork()));
  }, PROVIDER_MS);

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
