import type { RequestListener } from 'node:http';
import { expect, test, vi } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { ACCOUNT, CREATE_TOKEN, type GraphqlAnswer, SESSION, startTestApp } from '../../support/testApp.ts';
import {
  answer,
  answerWith,
  closeAfterTest,
  dripping,
  GZIP_BOMB,
  mediaProvider,
  PAGE,
  providerAt,
  TOKEN,
} from './mediaProvider.ts';

/** Shorter than the server's own, which is the default, since each fault waits for it. */
const TIMEOUT_MS = 2_000;
/** Generous, for many faults are lived through at once. */
const ANSWER_LIMIT_MS = 5 * TIMEOUT_MS;
const RETURN_LIMIT_MS = 10_000;
/** As many as it takes to have the provider left alone. */
const CALLS = 5;

vi.setConfig({ testTimeout: 60_000 });

/** An app whose provider answers as told until it is back, through a proxy. */
async function world(whileFailing: RequestListener, timeoutMs = TIMEOUT_MS) {
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
  // Opens the connections to the database, which on a busy machine may take long.
  await Promise.all(times(CALLS, () => app.graphql(SESSION, { headers })));
  return {
    app,
    proxy,
    /** What has come as far as the provider. */
    seen,
    createToken: () => app.graphql(CREATE_TOKEN, { headers }),
    /** Of everything that is none of the provider's business. */
    async othersWork(): Promise<boolean> {
      const { data } = await app.graphql(SESSION, { headers });
      const statuses = await Promise.all(
        ['readyz', 'healthz'].map(async (name) => (await fetch(`${app.url}/${name}`)).status),
      );
      return data?.session != null && statuses.every((status) => status === 200);
    },
    async comesBack(): Promise<boolean> {
      isBack = true;
      const find = async () => {
        const { data } = await app.graphql(CREATE_TOKEN, { headers });
        expect(data?.createToken).toMatchObject({ token: TOKEN });
      };
      await vi.waitFor(find, { timeout: RETURN_LIMIT_MS, interval: 200 });
      return true;
    },
  };
}

const outcomeOf = ({ errors }: GraphqlAnswer) => errors?.[0]?.extensions.code ?? 'a token';
const times = <T>(count: number, ask: () => Promise<T>) => Array.from({ length: count }, ask);

const halfAPage: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' }).write(PAGE);
};

type World = Awaited<ReturnType<typeof world>>;

type Fault = {
  /** Of the network, at once. */
  begin?: (proxy: TcpProxy) => void;
  /** Of the provider. */
  way?: RequestListener;
  end?: (proxy: TcpProxy) => unknown;
};

const pass = (proxy: TcpProxy) => proxy.set('pass');

test.each<[sentence: string, faults: Record<string, Fault>, outcome: string, requests: number]>([
  [
    'nothing gets through',
    {
      refused: { begin: (proxy) => proxy.refuse(), end: (proxy) => proxy.accept() },
      silent: { begin: (proxy) => proxy.set('silent'), end: pass },
      dripping: { begin: (proxy) => proxy.set({ dripMs: TIMEOUT_MS }), end: pass },
    },
    'PROVIDER_UNAVAILABLE',
    0,
  ],
  [
    'no whole answer comes back',
    {
      'silent within the page': { way: halfAPage },
      'dripping within the page': {
        way: (_request, response) =>
          dripping(response.writeHead(200, { 'content-type': 'text/html' }), ' ', 20),
      },
      'broken, as it says': { way: answerWith(PAGE, {}, 503) },
    },
    'PROVIDER_UNAVAILABLE',
    CALLS,
  ],
  [
    'the answer is no page',
    {
      'a bomb': { way: answerWith(GZIP_BOMB, { 'content-type': 'text/html', 'content-encoding': 'gzip' }) },
      endless: {
        way: (_request, response) =>
          dripping(response.writeHead(200, { 'content-type': 'text/html' }), PAGE.repeat(100), 10),
      },
    },
    'PROVIDER_BAD_ANSWER',
    CALLS,
  ],
])(
  'when %s, each call is told so in time and made once, nobody else suffers, and the first to ask after its return finds it',
  async (_sentence, faults, outcome, requests) => {
    const worlds: Array<[name: string, fault: Fault, there: World]> = [];
    for (const [name, fault] of Object.entries(faults)) {
      worlds.push([name, fault, await world(fault.way ?? answer)]);
    }
    const told = await Promise.all(
      worlds.map(async ([name, { begin, end }, there]) => {
        begin?.(there.proxy);
        const begunAt = performance.now();
        const calls = Promise.all(times(CALLS, there.createToken));
        const othersWork = await there.othersWork();
        const outcomes = new Set((await calls).map(outcomeOf));
        const inTime = performance.now() - begunAt < ANSWER_LIMIT_MS;
        const asked = there.seen.requests;
        await end?.(there.proxy);
        const isBack = await there.comesBack();
        return [name, { outcomes: [...outcomes], inTime, requests: asked, othersWork, isBack }];
      }),
    );
    const expected = { outcomes: [outcome], inTime: true, requests, othersWork: true, isBack: true };
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(Object.keys(faults).map((name) => [name, expected])),
    );
  },
);

test('a hundred calls that hang keep nobody else waiting', async () => {
  const there = await world(() => {}, 5_000);
  let hanging = 100;
  const calls = times(hanging, async () => {
    const given = await there.createToken();
    hanging -= 1;
    return outcomeOf(given);
  });
  await vi.waitFor(() => expect(there.seen.requests).toBe(100), { timeout: 5_000, interval: 5 });
  expect(await there.othersWork()).toBe(true);
  expect(hanging).toBe(100);
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['PROVIDER_UNAVAILABLE']));
  expect(await there.comesBack()).toBe(true);
});

test('a connection that fails before the request has left is tried once more, and the provider asked once', async () => {
  const there = await world(answer);
  there.proxy.set('reset');
  expect(outcomeOf(await there.createToken())).toBe('PROVIDER_UNAVAILABLE');
  expect(there.proxy.seen.connections).toBe(2);
  expect(there.seen.requests).toBe(0);
  there.proxy.set('pass');
  expect(outcomeOf(await there.createToken())).toBe('a token');
  there.proxy.cut();
  expect(outcomeOf(await there.createToken())).toBe('a token');
  expect(there.seen.requests).toBe(2);
});
