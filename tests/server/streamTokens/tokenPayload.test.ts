import { expect, test } from 'vitest';
import { isBoundToAddress, validMinutesOf } from '../../../server/streamTokens/tokenPayload.ts';

const PAYLOAD = 'server_time=7/4/2025 3:05:09 PM&hash_value=wcwR9HKskYP6XAcdqy1ATw==&validminutes=20';

const tokenOf = (payload: string) => Buffer.from(payload).toString('base64');

test.each([
  ['has no id', tokenOf(PAYLOAD)],
  ['has an id and checkip', tokenOf(`${PAYLOAD}&id=1005&checkip=true`)],
  ['is followed by other parameters', `${tokenOf(PAYLOAD)}&id=1005`],
])('a token is bound to an address when it %s', (_sentence, token) => {
  expect(isBoundToAddress(token)).toBe(true);
});

test.each([
  ['has an id', tokenOf(`${PAYLOAD}&id=1005`)],
  ['has an id and checkip off', tokenOf(`${PAYLOAD}&id=1005&checkip=false`)],
  ['lacks the hash', tokenOf(PAYLOAD.replace('hash_value', 'other'))],
])('a token is not known to be bound when it %s', (_sentence, token) => {
  expect(isBoundToAddress(token)).toBe(false);
});

test.each([
  [tokenOf(PAYLOAD), 20],
  [tokenOf(`${PAYLOAD.replace('=20', '=5')}&id=1005`), 5],
  [tokenOf(PAYLOAD.replace('=20', '=soon')), null],
  ['%%%', null],
])('the token %s is valid for %j minutes', (token, minutes) => {
  expect(validMinutesOf(token)).toBe(minutes);
});
