import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildUnlessFresh } from '../support/build.ts';
import { startProduction } from '../support/production.ts';
import { query } from '../support/query.ts';
import { CREATE_TOKEN } from '../support/testApp.ts';

const FLOOD_CONNECTIONS = 400;
const OTHERS = 20;
const TOKENS_OF_EACH = 3;
/** By an account's browsers and its tools together. */
const AT_ONCE = 4 + 4;
const PER_MINUTE = 60 + 60;

type Answer = {
  data: { createToken: { streamUrl: string } } | null;
  errors?: Array<{ extensions: { code: string; retryAfterSeconds?: number } }>;
};

beforeAll(() => buildUnlessFresh(), 180_000);

test('everybody else gets tokens while one account floods a slow provider', async () => {
  const production = await startProduction({ answerMs: 1_000 });
  onTestFinished(() => production.close());
  const pool = await production.startClient();
  const [flooder = '', ...others] = production.jwts;
  /** The header that a proxy adds; each partner has a network of their own. */
  const from = (partner: number) => ({ 'x-forwarded-for': `203.0.113.${partner}` });

  async function createToken(session: Record<string, string>): Promise<Answer> {
    const { body } = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session },
      body: JSON.stringify({ query: CREATE_TOKEN }),
    });
    return (await body.json()) as Answer;
  }

  let isOver = false;
  const refusals = new Set<unknown>();
  async function flood(connection: number): Promise<void> {
    // By its tools and by its browsers.
    const session =
      connection % 2 === 0 ? { authorization: `Bearer ${flooder}` } : { cookie: `session=${flooder}` };
    const headers = { ...session, ...from(0) };
    while (!isOver) {
      const { errors } = await createToken(headers);
      if (errors) refusals.add(errors[0]?.extensions.code);
      await nextTurn();
    }
  }
  const flooding = Promise.all(Array.from({ length: FLOOD_CONNECTIONS }, (_, index) => flood(index)));
  onTestFinished(async () => {
    isOver = true;
    await flooding;
  });
  await expect
    .poll(() => production.mostAtOnceAtProvider, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(AT_ONCE);

  const answers = await Promise.all(
    others.slice(0, OTHERS).map(async (jwt, partner) => {
      const own: Answer[] = [];
      for (let turn = 0; turn < TOKENS_OF_EACH; turn += 1) {
        const headers = { authorization: `Bearer ${jwt}`, ...from(1 + partner) };
        own.push(await createToken(headers));
      }
      return own;
    }),
  );
  isOver = true;
  await flooding;
  const correct = answers.flat().filter(({ data }) => data?.createToken.streamUrl);
  expect(correct.length).toBeGreaterThanOrEqual(0.95 * OTHERS * TOKENS_OF_EACH);
  expect(refusals).toContain('RATE_LIMITED');
  expect(refusals).not.toContain('PROVIDER_UNAVAILABLE');
  expect(production.mostAtOnceAtProvider).toBeLessThanOrEqual(AT_ONCE + OTHERS);
  const [{ lines } = { lines: 0 }] = await query(
    production.databaseUrl,
    `SELECT count(*)::int AS lines FROM token_records WHERE account_id = '${production.accountIds[0]}'`,
  );
  expect(lines).toBeGreaterThanOrEqual(AT_ONCE);
  expect(lines).toBeLessThanOrEqual(PER_MINUTE);
});
