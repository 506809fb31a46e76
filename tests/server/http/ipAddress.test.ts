import { describe, expect, test } from 'vitest';
import { ipAddressOf } from '../../../server/http/ipAddress.ts';

describe('the address that a request comes from', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:50000', '203.0.113.7'],
    ['[2001:db8::1]:50000', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('is found in %s', (source, address) => {
    expect(ipAddressOf(source)).toBe(address);
  });

  test.each([undefined, 'unknown', '203.0.113:80', 'a [::1]:1'])('is unknown for %s', (source) => {
    expect(ipAddressOf(source)).toBeNull();
  });
});
