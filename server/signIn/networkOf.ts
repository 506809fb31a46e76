import { isIPv6 } from 'node:net';

/**
 * Whose address it is, for counting: an IPv4 address itself, an IPv6 address's /64, for that much one household or
 * office has to itself. An IPv4 address written as an IPv6 one is the same address.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  const groups = groupsOf(bare);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if (!a && !b && !c && !d && !e && f === 0xffff) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address, which a URL's host writes in one way whatever way it was written in. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [start, end] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  return [...start, ...zeros, ...end].map((group) => Number.parseInt(group, 16));
}
