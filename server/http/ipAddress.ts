import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Used by proxies too (RFC 7239, 6.2). */
const UNKNOWN_ADDRESS = 'unknown';

const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;
const WITH_PORT = /^([\d.]+):\d+$/;

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
