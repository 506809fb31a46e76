import { expect, test } from 'vitest';
import { authSignParameterOf } from '../../../server/config/streamBaseUrl.ts';

test.each([
  ['https://radio.example/mp3/icecast.audio?wmsAuthSign=', 'wmsAuthSign'],
  ['https://radio.example/live?channel=1&sign=', 'sign'],
  ['http://127.0.0.1:4001/live?a=1?token=', 'token'],
])('the auth-sign parameter is read off the end of %s', (base, name) => {
  expect(authSignParameterOf(base)).toBe(name);
});

test.each([
  'https://radio.example/live',
  'https://radio.example/live?wmsAuthSign=abc',
  'https://radio.example/live?=',
  'https://radio.example/live?a=b=',
  'https://radio.example/#?wmsAuthSign=',
  'https://radio.example/live?wms AuthSign=',
])('there is no auth-sign parameter at the end of %j', (base) => {
  expect(() => authSignParameterOf(base)).toThrow();
});
