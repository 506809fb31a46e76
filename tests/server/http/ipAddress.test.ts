import { expect, test } from 'vitest';
import { ipAddressOf, networksOf } from '../../../server/http/ipAddress.ts';

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

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['::FFFF:cb00:7107', ['203.0.113.7']],
  ['2001:db8:1:2::1', ['2001:db8:1:2::/64', '2001:db8:1::/48']],
  ['2001:db8::1', ['2001:db8:0:0::/64', '2001:db8:0::/48']],
  ['fe80::1%eth0', ['fe80:0:0:0::/64', 'fe80:0:0::/48']],
  ['unknown', ['unknown']],
])('%s counts against the networks %j', (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
});
