import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../../server/app.ts';
import { rateLimited } from '../../../server/errors.ts';
import { createFairQueue, type FairQueue } from '../../../server/http/fairQueue.ts';
import { createLog } from '../../../server/observing/log.ts';
import type { Services } from '../../../server/services.ts';
import { streamAt } from '../../../server/streamTokens/createStreamToken.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { SESSION, STREAM_BASE_URL } from '../../support/testApp.ts';

/** A queue with a clock that only requests move; `started` holds the names of requests, and `|` for each turn of the event loop. */
function provideQueue(options: {
  atOnceMs?: number;
  turnMs?: number;
  sliceMs?: number;
  maxWaiting?: number;
}) {
  let nowMs = 0;
  const started: string[] = [];
  const inQueue = createFairQueue({
    atOnceMs: 1_000,
    turnMs: 1_000,
    sliceMs: 1_000,
    maxWaiting: 1_000,
    ...options,
    now: () => nowMs,
  });
  return {
    started,
    /** Uses up the time in which requests start as they come. */
    crowd() {
      void inQueue({ network: 'cien', isGone: () => false });
      nowMs += options.atOnceMs ?? 1_000;
    },
    async request(name: string, network: string, { costMs = 1, isGone = false } = {}) {
      if (!(await inQueue({ network, isGone: () => isGone }))) return;
      started.push(name);
      // The work of a request, parsing and validating, begins some promises later.
      await Promise.resolve();
      nowMs += costMs;
    },
    async turns(count: number) {
      for (let turn = 0; turn < count; turn += 1) {
        await nextTurn();
        started.push('|');
      }
    },
  };
}

test('a network with costly requests starts fewer in its slice', async () => {
  const { request, started, crowd } = provideQueue({ sliceMs: 4 });
  crowd();
  const requests = [
    request('first', 'tres'),
    ...['a1', 'a2', 'a3'].map((name) => request(name, 'uno', { costMs: 4 })),
    ...['b1', 'b2', 'b3', 'b4', 'b5'].map((name) => request(name, 'dos')),
  ];
  await Promise.all(requests);
  expect(started.join(' ')).toBe('first a1 b1 b2 b3 b4 a2 b5 a3');
});

test('a turn ends once its time is over, and the next network begins the next', async () => {
  const { request, started, turns, crowd } = provideQueue({ sliceMs: 4, turnMs: 8 });
  crowd();
  const names = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2'];
  const requests = names.map((name) => request(name, name.slice(0, 1), { costMs: 4 }));
  await Promise.all([...requests, turns(4)]);
  expect(started.join(' ').replaceAll(/[ |]+$/g, '')).toBe('a1 b1 | c1 a2 | b2 c2');
});

test('requests that come together start at once for a time', async () => {
  const { request, started, turns } = provideQueue({ atOnceMs: 2 });
  await Promise.all(['a1', 'b1'].map((name) => request(name, name)));
  await Promise.all([request('a2', 'a1'), turns(1)]);
  expect(started).toEqual(['a1', 'b1', 'a2', '|']);
  await turns(1);
  await request('a3', 'a1');
  expect(started.at(-1)).toBe('a3');
});

test('a request whose caller has gone is not run', async () => {
  const { request, started, crowd } = provideQueue({});
  crowd();
  await Promise.all([request('gone', 'uno', { isGone: true }), request('next', 'uno')]);
  expect(started).toEqual(['next']);
});

test('a full queue refuses the newest of the network with most', async () => {
  const { request, started, crowd } = provideQueue({ maxWaiting: 4 });
  crowd();
  const requests = ['a1', 'a2', 'a3', 'a4'].map((name) => request(name, 'uno'));
  const other = request('other', 'dos');
  const outcomes = await Promise.allSettled([...requests, other]);
  expect(outcomes[3]).toMatchObject({
    status: 'rejected',
    reason: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } },
  });
  expect(started).toEqual(['a1', 'a2', 'a3', 'other']);
});

describe('a request of the app', () => {
  async function provideApp(fairQueue: FairQueue) {
    const find = vi.fn(async () => null);
    const services = { keySessions: { find }, stream: streamAt(STREAM_BASE_URL), clock: () => new Date() };
    const app = await createApp({
      services: services as unknown as Services,
      database: { ping: async () => {} },
      logger: createLog({ level: 'warn', output: { write: () => {} } }),
      sandbox: null,
      trustProxy: 0,
      clientFolder: null,
      pageConfig: { firebaseConfig: null, supportContact: null, streamCors: false },
      fairQueue,
    });
    onTestFinished(() => app.close());
    return { app, find };
  }

  test('waits in the queue of its /48, the API as players', async () => {
    const networks: string[] = [];
    const { app } = await provideApp(async ({ network }) => {
      networks.push(network);
      throw rateLimited('Too many requests at once', 1_000);
    });
    const answers = [
      await app.inject({ url: '/live/unknown', remoteAddress: '2001:db8:0:1::1' }),
      await app.inject({
        method: 'POST',
        url: '/graphql',
        payload: { query: SESSION },
        remoteAddress: '2001:db8:0:2::1',
      }),
    ];
    expect(networks).toEqual(['2001:db8:0::/48', '2001:db8:0::/48']);
    for (const answer of answers) {
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '1']);
      expect(answer.json().errors[0].extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    }
  });

  test('is not run once its caller has gone', async () => {
    const events = new EventEmitter();
    const { app, find } = await provideApp(async ({ isGone }) => {
      const over = once(events, 'over');
      events.emit('waiting');
      await over;
      return !isGone();
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    app.server.once('connection', (connection) => connection.once('close', () => events.emit('closed')));
    const waiting = once(events, 'waiting');
    const { socket } = await sendRaw(url, 'GET /live/unknown HTTP/1.1\r\nHost: audio\r\n\r\n');
    await waiting;
    const closed = once(events, 'closed');
    socket.destroy();
    await closed;
    events.emit('over');
    await nextTurn();
    expect(find).not.toHaveBeenCalled();
  });
});
