import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createApp } from '../../../server/app.ts';
import { createFairQueue, MAX_STARTED_PER_TURN } from '../../../server/http/fairQueue.ts';
import { createLog } from '../../../server/observing/log.ts';
import type { Services } from '../../../server/services.ts';
import { streamAt } from '../../../server/streamTokens/createStreamToken.ts';
import { SESSION, STREAM_BASE_URL } from '../../support/testApp.ts';

test('a network starts a limited number of requests in each turn', async () => {
  const inQueue = createFairQueue({ perTurn: 2 });
  const started: string[] = [];
  const request = async (name: string, network: string) => {
    await inQueue(network);
    started.push(name);
  };
  const flood = ['a', 'b', 'c', 'd', 'e'].map((name) => request(name, 'uno'));
  await Promise.all([request('other', 'dos'), nextTurn()]);
  expect(started.slice(0, 3)).toEqual(['a', 'b', 'other']);

  await Promise.all(flood);
  expect(started).toEqual(['a', 'b', 'other', 'c', 'd', 'e']);
  await nextTurn();
  await request('late', 'uno');
  expect(started).toEqual(['a', 'b', 'other', 'c', 'd', 'e', 'late']);
});

test('the API shares its queue with the players of a /48', async () => {
  let started = 0;
  const find = async () => {
    started += 1;
    return null;
  };
  const services = { keySessions: { find }, stream: streamAt(STREAM_BASE_URL), clock: () => new Date() };
  const app = await createApp({
    services: services as unknown as Services,
    database: { ping: async () => {} },
    logger: createLog({ level: 'warn', output: { write: () => {} } }),
    sandbox: null,
    trustProxy: 0,
    clientFolder: null,
    pageConfig: { firebaseConfig: null, supportContact: null, streamCors: false },
  });
  const headers = { authorization: 'Bearer aop_tool_unknown' };
  const flood = Array.from({ length: 2 * MAX_STARTED_PER_TURN }, () => [
    app.inject({ url: '/live/unknown', remoteAddress: '2001:db8:0:1::1' }),
    app.inject({
      method: 'POST',
      url: '/graphql',
      headers,
      payload: { query: SESSION },
      remoteAddress: '2001:db8:0:2::1',
    }),
  ]).flat();
  const startedByTurn: number[] = [];
  while (started < flood.length) {
    const before = started;
    await nextTurn();
    startedByTurn.push(started - before);
  }
  await Promise.all(flood);
  expect(Math.max(...startedByTurn)).toBe(MAX_STARTED_PER_TURN);
  await app.close();
});
