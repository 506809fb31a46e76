import type { FastifyInstance } from 'fastify';

const HEADER = 'x-forwarded-proto';

/**
 * Reduces `X-Forwarded-Proto` to the protocol by which the client reached the outermost proxy that is trusted. Fastify
 * takes the last entry, that of the proxy beside this server. Each proxy adds an entry at the end or replaces them all,
 * so those before the last `trustProxy` are the client's own.
 */
export function addForwardedProtocol(app: FastifyInstance, trustProxy: number): void {
  app.addHook('onRequest', async ({ headers }) => {
    const entries = [headers[HEADER] ?? []].flat().join().split(',').slice(-trustProxy);
    const outermost = entries.map((entry) => entry.trim()).find(Boolean);
    if (outermost !== undefined) headers[HEADER] = outermost.toLowerCase();
  });
}
