import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rateLimited } from '../../../server/errors.ts';
import { createFairQueue, type FairQueue } from '../../../server/http/fairQueue.ts';
import { newKey } from '../../../server/keys/key.ts';
import { sendRaw } from '../../support/rawHttp.ts';
import { provideTestApp, SESSION } from '../../support/testApp.ts';

/** A queue with a clock that only requests move; `started` holds requests, and `|` for each turn of the event loop. */
function provideQueue(changes: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
  const options = { atOnceMs: 1_000, turnMs: 1_000, sliceMs: 1_000, maxWaiting: 1_000, ...changes };
  let nowMs = 0;
  const started: string[] = [];
  const inQueue = createFairQueue({ ...options, now: () => nowMs });
  return {
    started,
    /** Uses up the time in which requests start as they come. */
    crowd() {
      void inQueue({ network: 'cien', isGone: () => false });
      nowMs += options.atOnceMs;
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
  const costly = ['a1', 'a2', 'a3'].map((name) => request(name, 'uno', { costMs: 4 }));
  const cheap = ['b1', 'b2', 'b3', 'b4', 'b5'].map((name) => request(name, 'dos'));
  await Promise.all([...costly, ...cheap]);
  expect(started.join(' ')).toBe('a1 b1 b2 b3 b4 a2 b5 a3');
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
  void request('a3', 'a1');
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(started.at(-1)).toBe('a3');
});

test('a request whose client has gone is not run', async () => {
  const { request, started, crowd } = provideQueue();
  crowd();
  await Promise.all([request('gone', 'uno', { isGone: true }), request('next', 'uno')]);
  expect(started).toEqual(['next']);
});

test('a full queue refuses the newest of the network with most', async () => {
  const { request, started, crowd } = provideQueue({ maxWaiting: 4 });
  crowd();
  const [, , , newest] = ['a1', 'a2', 'a3', 'a4'].map((name) => request(name, 'uno'));
  const refused = expect(newest).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { retryAfterSeconds: 1 },
  });
  await Promise.all([request('other', 'dos'), refused]);
  expect(started).toEqual(['a1', 'a2', 'a3', 'other']);
});

let fairQueue: FairQueue;
const app = provideTestApp({
  databaseUrl: 'postgresql://nobody@127.0.0.1:9/none',
  trustProxy: 1,
  fairQueue: (request) => fairQueue(request),
});

test('a request of the app waits in the queue of its /48, the API as players', async () => {
  const networks: string[] = [];
  fairQueue = async ({ network }) => {
    networks.push(network);
    throw rateLimited('AT_ONCE', 'Too many requests at once', 1_000);
  };
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const { status, headers } = await fetch(`${app.url}/live/unknown`, from('2001:db8:0:1::1'));
  expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  const { errors, headers: ofApi } = await app.graphql(SESSION, from('2001:db8:0:2::1'));
  expect(errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', reason: 'AT_ONCE', retryAfterSeconds: 1 });
  // Only of this type does Apollo Client read the errors of a refused request.
  expect(ofApi.get('content-type')).toBe('application/graphql-response+json; charset=utf-8');
  expect(networks).toEqual(['2001:db8:0::/48', '2001:db8:0::/48']);
});

test('a request of the app is not run once its client has gone', async () => {
  const events = new EventEmitter();
  fairQueue = async ({ isGone }) => {
    events.emit('waiting', isGone);
    await once(events, 'over');
    return !isGone();
  };
  const waiting = once(events, 'waiting');
  const path = `/live/${newKey('PLAYER')}`;
  const { socket } = await sendRaw(app.url, `GET ${path} HTTP/1.1\r\nHost: audio\r\n\r\n`);
  const [isGone] = await waiting;
  socket.destroy();
  await expect.poll(isGone).toBe(true);
  events.emit('over');
  fairQueue = async () => true;
  await fetch(app.url + path);
  // Of the second request, which asked the database that is away.
  expect(app.logLines.filter((line) => line.includes('"failed"'))).toHaveLength(1);
});
