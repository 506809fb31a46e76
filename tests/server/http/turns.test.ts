import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../../server/http/turns.ts';

test('of one network so many requests start in a turn of the event loop, the others in later turns in their order; another network’s start at once', async () => {
  const takeTurn = createTurns({ perTurn: 2 });
  const started: string[] = [];
  const request = async (name: string, network: string) => {
    await takeTurn([network]);
    started.push(name);
  };
  const flood = ['a', 'b', 'c', 'd', 'e'].map((name) => request(name, 'uno'));
  const other = request('other', 'dos');
  await Promise.resolve();
  expect(started).toEqual(['a', 'b', 'other']);
  await nextTurn();
  expect(started).toEqual(['a', 'b', 'other', 'c', 'd']);
  const late = request('late', 'uno');
  await Promise.all([...flood, other, late]);
  expect(started).toEqual(['a', 'b', 'other', 'c', 'd', 'e', 'late']);
});

test('the /64 networks of an IPv6 /48 share its turns', async () => {
  const takeTurn = createTurns({ perTurn: 1 });
  expect(takeTurn(['2001:db8:0:1::/64', '2001:db8::/48'])).toBeUndefined();
  expect(takeTurn(['2001:db8:0:2::/64', '2001:db8::/48'])).toBeInstanceOf(Promise);
  await nextTurn();
  await nextTurn();
  expect(takeTurn(['2001:db8:0:1::/64', '2001:db8::/48'])).toBeUndefined();
});
