import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems take the local ports of outgoing connections from above 32768. */
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_000;

/** A port of 127.0.0.1 to listen on now and again later: no outgoing connection takes it in between. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
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
