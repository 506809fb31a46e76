import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of this machine and prints the address for `startProgram`; ends with the process. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${port}` })}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}
