import { expect, test } from 'vitest';
import { ipAddressOf } from '../../../server/http/ipAddress.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:50000', '203.0.113.7'],
  ['203.0.113.7:80', '203.0.113.7'],
  ['[2001:db8::1]:50000', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  [undefined, null],
  ['203.0.113:80', null],
  ['a [::1]:1', null],
])('a request from %s has the address %s', (source, address) => {
  expect(ipAddressOf(source)).toBe(address);
});
