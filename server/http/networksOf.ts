import { isIPv6 } from 'node:net';

const BITS_PER_GROUP = 16;
const SMALL_NETWORK_BITS = 64;
/** The most that one customer usually gets. */
const LARGE_NETWORK_BITS = 48;

/**
 * The networks that an attempt from this address counts against, the smallest first: an IPv4 address itself, also when
 * it is written as an IPv6 one; the /64 and the /48 of an IPv6 address.
 */
export function networksOf(address: string): [string, ...string[]] {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return [address];
  const groups = groupsOf(bare);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if (!a && !b && !c && !d && !e && f === 0xffff) {
    return [[high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')];
  }
  const prefix = (bits: number) =>
    `${groups
      .slice(0, bits / BITS_PER_GROUP)
      .map((group) => group.toString(16))
      .join(':')}::/${bits}`;
  return [prefix(SMALL_NETWORK_BITS), prefix(LARGE_NETWORK_BITS)];
}

export function largestNetworkOf(address: string): string {
  return networksOf(address).at(-1) ?? address;
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const start = head.split(':').filter(Boolean);
  const end = tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  return [...start, ...zeros, ...end].map((group) => Number.parseInt(group, 16));
}
