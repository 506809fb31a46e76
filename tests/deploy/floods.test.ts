import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'undici';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { buildUnlessFresh } from '../support/build.ts';
import { startProduction } from '../support/production.ts';
import { query } from '../support/query.ts';
import { ACCOUNT, CREATE_TOKEN, LOGIN } from '../support/testApp.ts';

vi.setConfig({ testTimeout: 180_000 });

const OTHERS = 20;
const TOKENS_OF_EACH = 3;
const SERVED = 'served';
/** The number of failed sign-ins after which the server refuses a network. */
const NETWORK_FAILURES = 100;
const FLOODER = { 'x-forwarded-for': '203.0.113.1' };
/** The tokens that an account's browsers and its tools together may have under way, and make in a minute. */
const TOKENS_AT_ONCE = 4 + 4;
const TOKENS_PER_MINUTE = 60 + 60;

type Headers = Record<string, string>;

beforeAll(() => buildUnlessFresh(), 180_000);

/** Sends an operation; `outcome` is the code of its error, if it has one. */
async function send(pool: Pool, headers: Headers, operation: object) {
  const answer = await pool.request({
    path: '/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
  });
  const { errors } = (await answer.body.json()) as { errors?: Array<{ extensions: { code: string } }> };
  return { outcome: errors?.[0]?.extensions.code ?? SERVED, headers: answer.headers };
}

/** Starts many connections that send requests over and over; returns once each has had an answer. */
async function startFlood(
  connections: number,
  request: (connection: number) => Promise<{ outcome: string }>,
) {
  let isOver = false;
  const outcomes = new Set<string>();
  const answered = new Set<number>();
  const flooding = Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      while (!isOver) {
        // The server may end a connection whose request came too slowly.
        const { outcome } = await request(connection).catch(() => ({ outcome: 'ended' }));
        outcomes.add(outcome);
        answered.add(connection);
        await nextTurn();
      }
    }),
  );
  const end = async () => {
    isOver = true;
    await flooding;
  };
  onTestFinished(end);
  await expect.poll(() => answered.size, { timeout: 60_000 }).toBe(connections);
  return { outcomes, end };
}

const partner = (index: number): { username: string; headers: Headers } => ({
  username: `radio-${index + 1}@uno.example`,
  headers: { 'x-forwarded-for': `198.51.100.${index}` },
});

test.each([
  ['one account signs in with its right password in its own browser', 300, ACCOUNT.password],
  ['an address that is already refused signs in', 1_500, 'adivinanza'],
])('others sign in while %s over %d connections', async (_name, connections, floodersPassword) => {
  const production = await startProduction({ answerMs: 0 });
  onTestFinished(() => production.close());
  const pool = await production.startClient();
  const signIn = (headers: Headers, username: string = ACCOUNT.username, password = ACCOUNT.password) =>
    send(pool, headers, { query: LOGIN, variables: { username, password } });
  const inKnownBrowser = async (headers: Headers, username?: string) => {
    const answer = await signIn(headers, username);
    return { ...headers, cookie: /device=[^;]+/.exec(String(answer.headers['set-cookie']))?.[0] ?? '' };
  };

  const others = Array.from({ length: OTHERS }, (_, index) => partner(index));
  for (const known of others.slice(0, OTHERS / 2)) {
    known.headers = await inKnownBrowser(known.headers, known.username);
  }
  let flooder: Headers = FLOODER;
  if (floodersPassword === ACCOUNT.password) flooder = await inKnownBrowser(FLOODER);
  else {
    const names = Array.from({ length: NETWORK_FAILURES }, (_, index) => `nadie-${index}@uno.example`);
    for (const name of names) await signIn(FLOODER, name, floodersPassword);
  }
  const flood = await startFlood(connections, () => signIn(flooder, undefined, floodersPassword));

  const outcomes: string[] = [];
  for (const { headers, username } of others) outcomes.push((await signIn(headers, username)).outcome);
  await flood.end();
  expect(outcomes.filter((outcome) => outcome === SERVED).length).toBeGreaterThanOrEqual(0.95 * OTHERS);
  expect(flood.outcomes).toContain('RATE_LIMITED');
});

test('others get tokens while one account floods a slow provider', async () => {
  const production = await startProduction({ answerMs: 1_000 });
  onTestFinished(() => production.close());
  const pool = await production.startClient();
  const [flooder = '', ...others] = production.jwts;
  const createToken = (headers: Headers) => send(pool, headers, { query: CREATE_TOKEN });
  const bearer = (jwt: string) => ({ authorization: `Bearer ${jwt}` });
  const byTool = { ...FLOODER, ...bearer(flooder) };
  const byBrowser = { ...FLOODER, cookie: `session=${flooder}` };
  const flood = await startFlood(400, (connection) => createToken(connection % 2 === 0 ? byTool : byBrowser));

  const answers: Array<{ outcome: string }> = [];
  for (let turn = 0; turn < TOKENS_OF_EACH; turn += 1) {
    const asking = others
      .slice(0, OTHERS)
      .map((jwt, index) => createToken({ ...partner(index).headers, ...bearer(jwt) }));
    answers.push(...(await Promise.all(asking)));
  }
  await flood.end();
  const served = answers.filter(({ outcome }) => outcome === SERVED);
  expect(served.length).toBeGreaterThanOrEqual(0.95 * answers.length);
  expect(flood.outcomes).toContain('RATE_LIMITED');
  expect(flood.outcomes).not.toContain('PROVIDER_UNAVAILABLE');
  expect(production.mostAtOnceAtProvider).toBeGreaterThanOrEqual(TOKENS_AT_ONCE);
  expect(production.mostAtOnceAtProvider).toBeLessThanOrEqual(TOKENS_AT_ONCE + OTHERS);
  const [{ lines } = { lines: 0 }] = await query(
    production.databaseUrl,
    `SELECT count(*)::int AS lines FROM token_records WHERE account_id = '${production.accountIds[0]}'`,
  );
  expect(lines).toBeGreaterThanOrEqual(TOKENS_AT_ONCE);
  expect(lines).toBeLessThanOrEqual(TOKENS_PER_MINUTE);
});
