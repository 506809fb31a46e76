import { expect, test } from 'vitest';
import { asciiUrl, authSignParameterOf } from '../../../server/config/addresses.ts';

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

test.each([
  ['https://señal.example/a?sign=', 'https://xn--seal-hqa.example/a?sign='],
  [
    'https://radio.example/señal–1/ж?canal=fútbol&sign=',
    'https://radio.example/se%C3%B1al%E2%80%931/%D0%B6?canal=f%C3%BAtbol&sign=',
  ],
  ["HTTP://Radio.example:80/a/../b?q='&sign=", "HTTP://Radio.example:80/a/../b?q='&sign="],
])('%s is used as %s', (url, used) => {
  expect(asciiUrl(url)).toBe(used);
});
