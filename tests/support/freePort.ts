import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems use for outgoing connections, which start at 32768. */
const LOWEST_PORT = 15_000;
const PORTS_OF_A_WORKER = 1_000;
const RANGES = 17;

/** Vitest numbers parallel workers from 1; code outside of workers uses the first range. */
const firstPort = LOWEST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % RANGES) * PORTS_OF_A_WORKER;
let next = randomInt(PORTS_OF_A_WORKER);

/**
 * Returns a port of 127.0.0.1 that may be listened on repeatedly: neither an outgoing connection nor another caller,
 * in any worker, gets it in between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + next;
    next = (next + 1) % PORTS_OF_A_WORKER;
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch {
      // Taken: another one.
    }
  }
}
