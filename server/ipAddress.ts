import { isIP } from 'node:net';

/**
 * Where a request is said to come from when that is an address, without an IPv6 zone; otherwise null. A connection that
 * is gone has none.
 */
export function ipAddressOf(source: string | undefined): string | null {
  const [address = ''] = source?.split('%') ?? [];
  return isIP(address) === 0 ? null : address;
}
