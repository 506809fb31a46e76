import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems take the local ports of outgoing connections from above 32768. */
const LOWEST_PORT = 15_000;
const PORTS_OF_A_WORKER = 1_000;
const RANGES = 17;

/** Vitest numbers the workers that run side by side, from 1; whatever runs outside of them has the first range. */
const firstPort = LOWEST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % RANGES) * PORTS_OF_A_WORKER;
let next = randomInt(PORTS_OF_A_WORKER);

/**
 * A port of 127.0.0.1 to listen on now and again later: no outgoing connection takes it in between, and nobody else who
 * asked for one, in this worker or another.
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
