import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type Server as TcpServer } from 'node:net';

/** Errors for an address that this machine lacks: `localhost` may be `::1` where IPv6 is off. */
const ADDRESS_IS_ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Hands a server the connections of further addresses: a name such as `localhost` has two, a server listens at one. Fastify
 * would start a second server, which cannot be drained (docs/decisions/0017-shutdown.md).
 * @returns the listeners, skipping addresses that this machine lacks; closing one ends no connection
 * @throws a system error when an address is taken or forbidden
 */
export async function listenAlso(
  server: Server,
  { addresses, port }: { addresses: string[]; port: number },
): Promise<TcpServer[]> {
  const listeners: TcpServer[] = [];
  for (const host of addresses) {
    // The options with which http accepts its own connections.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    );
    try {
      await once(listener.listen({ host, port }), 'listening');
      listeners.push(listener);
    } catch (error) {
      if (ADDRESS_IS_ABSENT.has(String((error as NodeJS.ErrnoException).code))) continue;
      for (const other of listeners) other.close();
      throw error;
    }
  }
  return listeners;
}

/** Says why a server cannot listen, for the person at the terminal, in terms of the variables that name host and port. */
export function listenFailure(error: unknown, variables: { host: string; port: string }): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop what listens there, or choose another with ${variables.port}.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} needs more rights than this user has: choose another with ${variables.port}.`;
  }
  return `Cannot listen there (${code}): check ${variables.host} and ${variables.port}.`;
}
