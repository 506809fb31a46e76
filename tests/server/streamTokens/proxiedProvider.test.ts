import type { RequestListener, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { ACCOUNT, CREATE_TOKEN, SESSION, startTestApp } from '../../support/testApp.ts';
import { answer, closeAfterTest, dripping, mediaProvider, PAGE, providerAt, TOKEN } from './mediaProvider.ts';

const TIMEOUT_MS = 1_000;
/** Generous, for a busy machine. */
const ANSWER_LIMIT_MS = 5 * TIMEOUT_MS;
const RETURN_LIMIT_MS = 10_000;
/** Enough absences to open the breaker. */
const CALLS = 5;

vi.setConfig({ testTimeout: 60_000 });

/** An app whose provider, behind a TCP proxy, answers by `whileFailing` until it is back. */
async function startWorld(whileFailing: RequestListener, timeoutMs = TIMEOUT_MS) {
  let isBack = false;
  const { port, seen } = await mediaProvider((request, response) =>
    (isBack ? answer : whileFailing)(request, response),
  );
  const proxy = await startTcpProxy(port);
  const app = await startTestApp({ provider: providerAt(proxy.port, { timeoutMs }) });
  closeAfterTest(async () => {
    proxy.close();
    await app.close();
  });
  await app.addAccount(ACCOUNT);
  const headers = await app.bearer();

  /** Returns the code of the failure, or `a token`. */
  async function createToken(): Promise<unknown> {
    const { errors, data } = await app.graphql(CREATE_TOKEN, { headers });
    if (errors) return errors[0]?.extensions.code;
    expect(data?.createToken).toMatchObject({ token: TOKEN });
    return 'a token';
  }

  async function expectOthersWork(): Promise<void> {
    const { data } = await app.graphql(SESSION, { headers });
    expect(data?.session).not.toBeNull();
    for (const name of ['readyz', 'healthz']) expect((await fetch(`${app.url}/${name}`)).status).toBe(200);
  }

  async function expectReturn(): Promise<void> {
    isBack = true;
    await vi.waitFor(async () => expect(await createToken()).toBe('a token'), {
      timeout: RETURN_LIMIT_MS,
      interval: 200,
    });
  }

  return { proxy, seen, createToken, expectOthersWork, expectReturn };
}

const times = <T>(count: number, ask: () => Promise<T>) => Array.from({ length: count }, ask);

type Fault = {
  network?: (proxy: TcpProxy) => unknown;
  end?: (proxy: TcpProxy) => unknown;
  way?: RequestListener;
};
const pass = (proxy: TcpProxy) => proxy.set('pass');

test.each<[sentence: string, fault: Fault, code: string, requests: number]>([
  [
    'refuses connections',
    { network: (proxy) => proxy.refuse(), end: (proxy) => proxy.accept() },
    'PROVIDER_UNAVAILABLE',
    0,
  ],
  ['is silent', { network: (proxy) => proxy.set('silent'), end: pass }, 'PROVIDER_UNAVAILABLE', 0],
  ['answers an endless page', { way: dripping(PAGE.repeat(100), 10) }, 'PROVIDER_BAD_ANSWER', CALLS],
])(
  'when the provider %s, each call is told so in time and made once, nobody else suffers, and its return is found',
  async (_sentence, { network, way = answer, end }, code, requests) => {
    const world = await startWorld(way);
    await network?.(world.proxy);
    const startMs = performance.now();
    const calls = Promise.all(times(CALLS, world.createToken));
    await world.expectOthersWork();
    expect(new Set(await calls)).toEqual(new Set([code]));
    expect(performance.now() - startMs).toBeLessThan(ANSWER_LIMIT_MS);
    expect(world.seen.requests).toBe(requests);
    await end?.(world.proxy);
    await world.expectReturn();
  },
);

test('a hundred calls that hang keep nobody else waiting', async () => {
  const held: ServerResponse[] = [];
  const world = await startWorld((_request, response) => void held.push(response), 30_000);
  const calls = times(100, world.createToken);
  await vi.waitFor(() => expect(held).toHaveLength(100), { timeout: 20_000, interval: 5 });
  await world.expectOthersWork();
  for (const response of held) response.end(PAGE);
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['a token']));
});

test('a connection that fails before the request has left is tried once more, and the provider asked once', async () => {
  const { proxy, seen, createToken } = await startWorld(answer);
  proxy.set('reset');
  expect(await createToken()).toBe('PROVIDER_UNAVAILABLE');
  expect(proxy.seen.connections).toBe(2);
  expect(seen.requests).toBe(0);
  proxy.set('pass');
  expect(await createToken()).toBe('a token');
  proxy.cut();
  expect(await createToken()).toBe('a token');
  expect(seen.requests).toBe(2);
});
