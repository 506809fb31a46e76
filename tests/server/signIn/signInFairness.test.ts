import { afterEach, expect, test, vi } from 'vitest';
import {
  createHashQueue,
  createSignInSlots,
  MAX_AT_ONCE,
  type SlotRequest,
} from '../../../server/signIn/signInLimits.ts';

afterEach(() => {
  vi.useRealTimers();
});

const REFUSED = { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } };
const browser = { id: 'browser', accountId: 'account', credentialsVersion: 0 };
const known = (changes = {}) => ({ browser: { ...browser, ...changes } });
const idle = () => new Promise((resolve) => setImmediate(resolve));

/** Queues sign-ins, each of a username and network of its own unless told; `begun` holds their names in order. */
function startQueue({ maxRunning = 1, maxWaiting = 10, maxWaitMs = 60_000 } = {}) {
  const takeSlot = createSignInSlots();
  const inHashQueue = createHashQueue({ maxRunning, maxWaiting, maxWaitMs });
  const begun: string[] = [];
  const held = new Map<string, () => void>();
  let started = 0;
  return {
    begun,
    end: (name: string) => held.get(name)?.(),
    async drain() {
      for (let turn = 0; turn < begun.length; turn += 1) {
        held.get(begun[turn] ?? '')?.();
        await idle();
      }
    },
    start(name: string, request: Partial<SlotRequest> = {}) {
      started += 1;
      const own = { username: `radio-${started}`, address: `192.0.2.${started}`, browser: null };
      const work = () =>
        new Promise<string>((resolve) => {
          begun.push(name);
          held.set(name, () => resolve(`${name} done`));
        });
      const hash = async () => {
        const { priority, release } = takeSlot({ ...own, ...request });
        return inHashQueue(priority, work).finally(release);
      };
      return hash().catch((error: unknown) => error);
    },
  };
}

test('sign-ins beyond those that run at once wait in order', async () => {
  const { begun, end, start } = startQueue({ maxRunning: 2 });
  const answers = ['a', 'b', 'c'].map((name) => start(name));
  expect(begun).toEqual(['a', 'b']);
  end('b');
  expect(await answers[1]).toBe('b done');
  await idle();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('at most three sign-ins run at once', async () => {
  const { begun, start } = startQueue({ maxRunning: 20 });
  for (let index = 0; index < 10; index += 1) start(`${index}`);
  await idle();
  expect(begun.length).toBeLessThanOrEqual(3);
});

test('a sign-in that waits too long is refused', async () => {
  vi.useFakeTimers();
  const { begun, end, start } = startQueue({ maxWaiting: 1, maxWaitMs: 2_000 });
  start('slow');
  const late = start('late');
  await vi.advanceTimersByTimeAsync(999);
  expect(await start('one more')).toMatchObject(REFUSED);
  await vi.advanceTimersByTimeAsync(1_001);
  const message = 'Too many sign in at once, try again in 1 second';
  expect(await late).toMatchObject({ ...REFUSED, message });
  start('next');
  end('slow');
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['slow', 'next']);
});

test('the time limit ends no sign-in that has begun', async () => {
  vi.useFakeTimers();
  const { end, start } = startQueue({ maxWaitMs: 2_000 });
  const slow = start('slow');
  await vi.advanceTimersByTimeAsync(60_000);
  end('slow');
  expect(await slow).toBe('slow done');
});

test.each([
  ['a network', { address: '203.0.113.7' }],
  ['a username', { username: 'radio' }],
  ["an account's known browsers", known()],
])('another sign-in goes before the third of %s', async (_who, flooder) => {
  const { begun, drain, start } = startQueue();
  for (const name of ['first', 'second', 'third']) start(name, flooder);
  start('other');
  await drain();
  expect(begun.indexOf('other')).toBeLessThan(begun.indexOf('third'));
});

test('a known browser goes before an unknown one', async () => {
  const { begun, end, start } = startQueue();
  for (const name of ['running', 'unknown']) start(name);
  start('known', known());
  end('running');
  await idle();
  expect(begun).toEqual(['running', 'known']);
});

const from = (address: string) => ({ address });
test.each<[string, number, (index: number) => Partial<SlotRequest>, Partial<SlotRequest>]>([
  [
    'an IPv6 /64',
    MAX_AT_ONCE.networkOrAccount,
    (index) => from(`2001:db8:0:1::${index}`),
    from('2001:db8:0:2::1'),
  ],
  ['an IPv6 /48', MAX_AT_ONCE.largeNetwork, (index) => from(`2001:db8:0:${index}::1`), from('2001:db8:1::1')],
  ['a username', MAX_AT_ONCE.username, () => ({ username: 'radio' }), { username: 'another' }],
  [
    "an account's known browsers",
    MAX_AT_ONCE.networkOrAccount,
    (index) => ({ ...known({ id: `${index}` }), username: 'radio' }),
    { username: 'radio' },
  ],
  [
    'browsers known by one password',
    MAX_AT_ONCE.networkOrAccount,
    () => known(),
    known({ credentialsVersion: 1 }),
  ],
])('%s may have %d sign-ins under way', async (_who, maxAtOnce, request, other) => {
  const { begun, drain, start } = startQueue({ maxWaiting: 100 });
  for (let index = 0; index < maxAtOnce; index += 1) start(`${index}`, request(index));
  expect(await start('one more', request(maxAtOnce))).toMatchObject(REFUSED);
  start('other', other);
  await drain();
  expect(begun).toHaveLength(maxAtOnce + 1);
});

test('a sign-in that its username refuses takes nothing from its network', () => {
  const takeSlot = createSignInSlots();
  const take = (username: string, address: string) => takeSlot({ username, address, browser: null });
  for (let index = 0; index < MAX_AT_ONCE.username; index += 1) take('radio', `192.0.2.${index}`);
  for (let refused = 0; refused < MAX_AT_ONCE.largeNetwork; refused += 1) {
    expect(() => take('radio', '203.0.113.7')).toThrow('Too many');
  }
  take('another', '203.0.113.7');
});
