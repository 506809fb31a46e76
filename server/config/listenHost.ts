import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { OperatorError } from '../errors.ts';

const EVERY_ADDRESS = ['0.0.0.0', '::', '0'];

export function isEveryAddress(host: string): boolean {
  return EVERY_ADDRESS.includes(host);
}

export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Looks the host up before anything is opened; otherwise an unknown name would look like a fault of the database. */
export async function requireKnownHost(variable: string, host: string): Promise<void> {
  await lookup(host).catch(() => {
    throw new OperatorError(`${variable} is ${host}, which is not an address or name of this machine.`);
  });
}

export function explainListenError(error: unknown, variables: { host: string; port: string }): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop what listens there, or choose another with ${variables.port}.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} needs more rights than this user has: choose another with ${variables.port}.`;
  }
  return `Cannot listen there (${code}): check ${variables.host} and ${variables.port}.`;
}
