import { isIP } from 'node:net';

const EVERY_ADDRESS = ['0.0.0.0', '::', '0'];

/** Whether to listen there is to listen at every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return EVERY_ADDRESS.includes(host);
}

const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;
const WITH_PORT = /^([\d.]+):\d+$/;

/**
 * Where a request is said to come from when that is an address, without the IPv6 zone, and without the port that some proxies
 * write into `X-Forwarded-For`; otherwise null. A connection that is gone has none.
 */
export function ipAddressOf(source: string | undefined): string | null {
  if (source === undefined) return null;
  const [, host = source] = IN_BRACKETS.exec(source) ?? WITH_PORT.exec(source) ?? [];
  const [address = ''] = host.split('%');
  return isIP(address) === 0 ? null : address;
}
