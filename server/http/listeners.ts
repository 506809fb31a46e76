import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type Server as TcpServer } from 'node:net';

/** What a machine says of an address that it has not, or no more: `localhost` may be `::1` where IPv6 is off. */
const ADDRESS_IS_ABSENT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Has a server take what connects at further addresses, as its own: one server has one address, and a name such as
 * `localhost` has two. Fastify's way is a second server, which nobody else can drain (docs/decisions/0017-shutdown.md).
 * @returns what listens there, without the addresses that this machine has not; closing it ends no connection
 * @throws Error of the system when an address cannot be had
 */
export async function listenAlso(
  server: Server,
  { addresses, port }: { addresses: string[]; port: number },
): Promise<TcpServer[]> {
  const listeners: TcpServer[] = [];
  for (const host of addresses) {
    // As http itself accepts its connections.
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
