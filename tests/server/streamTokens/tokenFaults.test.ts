import { expect, test } from 'vitest';
import {
  createOldTokenSigns,
  isBoundToAddress,
  serverTimeOf,
  validMinutesOf,
} from '../../../server/streamTokens/tokenFaults.ts';

const PAYLOAD = 'server_time=7/4/2025 3:05:09 PM&hash_value=wcwR9HKskYP6XAcdqy1ATw==&validminutes=20';

const tokenOf = (payload: string) => Buffer.from(payload).toString('base64');

test.each([
  ['without an id', true, tokenOf(PAYLOAD)],
  ['with an id and checkip', true, tokenOf(`${PAYLOAD}&id=1005&checkip=true`)],
  ['followed by other parameters', true, `${tokenOf(PAYLOAD)}&id=1005`],
  ['with an id and checkip off', false, tokenOf(`${PAYLOAD}&id=1005&checkip=false`)],
  ['without the hash', false, tokenOf(PAYLOAD.replace('hash_value', 'other'))],
])('a token %s is bound to an address: %s', (_what, isBound, token) => {
  expect(isBoundToAddress(token)).toBe(isBound);
});

test.each([
  [tokenOf(PAYLOAD), 20],
  [tokenOf(`${PAYLOAD.replace('=20', '=5')}&id=1005`), 5],
  [tokenOf(PAYLOAD.replace('=20', '=soon')), null],
  ['%%%', null],
])('the token %s is valid for %j minutes', (token, minutes) => {
  expect(validMinutesOf(token)).toBe(minutes);
});

test.each([
  ['7/4/2025 3:05:09 PM', '2025-07-04T15:05:09.000Z'],
  ['07/04/2025 03:05:09 AM', '2025-07-04T03:05:09.000Z'],
  ['12/31/2025 12:00:00 AM', '2025-12-31T00:00:00.000Z'],
  ['13/31/2025 1:00:00 PM', undefined],
  ['soon', undefined],
])('the server_time %s is read as %s', (text, iso) => {
  expect(
    serverTimeOf(tokenOf(PAYLOAD.replace(/server_time=[^&]*/, `server_time=${text}`)))?.toISOString(),
  ).toBe(iso);
});

test('the last 10,000 tokens are remembered, so that they do not add up', () => {
  const oldTokenSigns = createOldTokenSigns(() => new Date());
  for (let made = 0; made <= 10_000; made += 1) oldTokenSigns(`token ${made}`, 0);
  expect([...oldTokenSigns('token 1', 0).keys()]).toEqual(['repeated']);
  expect([...oldTokenSigns('token 0', 0).keys()]).toEqual([]);
});
