import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { buildUnlessFresh } from '../support/build.ts';
import { startProduction } from '../support/production.ts';
import { ACCOUNT, LOGIN } from '../support/testApp.ts';

vi.setConfig({ testTimeout: 180_000 });

const OTHERS = 20;
const AT_ONCE = 4;
/** The number of failed sign-ins after which the server refuses a network. */
const NETWORK_FAILURES = 100;
const FLOODER = '203.0.113.1';
const WRONG = 'adivinanza';

type SignIn = { username?: string; password?: string; from: string; device?: string };
type Answer = { outcome: string; device: string };

beforeAll(() => buildUnlessFresh(), 180_000);

async function startInstance() {
  const production = await startProduction({ answerMs: 0 });
  onTestFinished(() => production.close());
  const pool = await production.startClient();

  return async ({ username, password, from, device }: SignIn): Promise<Answer> => {
    const { headers, body } = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': from,
        ...(device && { cookie: device }),
      },
      body: JSON.stringify({
        query: LOGIN,
        variables: { username: username ?? ACCOUNT.username, password: password ?? ACCOUNT.password },
      }),
    });
    const { data, errors } = (await body.json()) as {
      data: unknown;
      errors?: Array<{ extensions: { code: string } }>;
    };
    return {
      outcome: data ? 'signed in' : (errors?.[0]?.extensions.code ?? 'nothing'),
      device: /device=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '',
    };
  };
}

test.each([
  ['one account signs in with its right password in its own browser', 300, 'right'],
  ['an address that is already refused signs in', 1_500, 'wrong'],
])('%s over %d connections, and everybody else can sign in', async (_name, connections, password) => {
  const signIn = await startInstance();
  const others = Array.from({ length: OTHERS }, (_, index) => ({
    username: `radio-${index + 1}@uno.example`,
    from: `198.51.100.${index}`,
  }));
  const known = await Promise.all(
    others.slice(0, OTHERS / 2).map(async (other) => {
      const { device } = await signIn(other);
      return { ...other, device };
    }),
  );
  const isRight = password === 'right';
  const flooder: SignIn = isRight
    ? { from: FLOODER, device: (await signIn({ from: FLOODER })).device }
    : { from: FLOODER, password: WRONG };
  for (let failure = 0; !isRight && failure < NETWORK_FAILURES; failure += 10) {
    const names = Array.from({ length: 10 }, (_, index) => `nadie-${failure + index}`);
    await Promise.all(names.map((username) => signIn({ ...flooder, username })));
  }

  let isOver = false;
  const outcomes = new Set<string>();
  const answered = new Set<number>();
  const flood = async (connection: number): Promise<void> => {
    while (!isOver) {
      // A connection may be ended because its request came too slowly.
      const { outcome } = await signIn(flooder).catch(() => ({ outcome: 'ended' }));
      outcomes.add(outcome);
      answered.add(connection);
      await nextTurn();
    }
  };
  const flooding = Promise.all(Array.from({ length: connections }, (_, index) => flood(index)));
  onTestFinished(async () => {
    isOver = true;
    await flooding;
  });
  await expect.poll(() => answered.size, { timeout: 60_000 }).toBe(connections);

  const waiting: SignIn[] = [...known, ...others.slice(OTHERS / 2)];
  const found: string[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        found.push((await signIn(next)).outcome);
      }
    }),
  );
  isOver = true;
  await flooding;
  expect(found.filter((outcome) => outcome === 'signed in').length).toBeGreaterThanOrEqual(0.95 * OTHERS);
  expect(outcomes).toContain('RATE_LIMITED');
});
