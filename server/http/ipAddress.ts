import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Used by proxies too (RFC 7239, 6.2). */
export const UNKNOWN_ADDRESS = 'unknown';

const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;
const WITH_PORT = /^([\d.]+):\d+$/;

const BITS_PER_GROUP = 16;
const SMALL_NETWORK_BITS = 64;
const LARGE_NETWORK_BITS = 48;

/**
 * Returns a client's IP address without an IPv6 zone and without the port that some proxies write into
 * `X-Forwarded-For`; null when it is not an address, or when the connection is gone.
 */
export function ipAddressOf(source: string | undefined): string | null {
  if (source === undefined) return null;
  const [, host = source] = IN_BRACKETS.exec(source) ?? WITH_PORT.exec(source) ?? [];
  const [address = ''] = host.split('%');
  return isIP(address) === 0 ? null : address;
}

export function addressOf({ ip }: FastifyRequest): string {
  return ipAddressOf(ip) ?? UNKNOWN_ADDRESS;
}

/**
 * The networks that an attempt from this address counts against, the smallest first: an IPv4 address itself, also when
 * it is written as an IPv6 one; the /64 and the /48 of an IPv6 address.
 */
export function networksOf(address: string): [string, ...string[]] {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return [address];
  const ip = ipaddr.process(bare);
  if (ip instanceof ipaddr.IPv4) return [ip.toString()];
  const groups = ip.parts.map((group) => group.toString(16));
  const prefix = (bits: number) => `${groups.slice(0, bits / BITS_PER_GROUP).join(':')}::/${bits}`;
  return [prefix(SMALL_NETWORK_BITS), prefix(LARGE_NETWORK_BITS)];
}

export function largestNetworkOf(address: string): string {
  return networksOf(address).at(-1) ?? address;
}
