import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Opens a connection to a site and sends these bytes.
 * @returns the connection; `answer` resolves with all that came, once the connection is closed
 */
export async function sendRaw(
  siteUrl: string,
  bytes: string,
): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { hostname, port } = new URL(siteUrl);
  const socket = connect(Number(port), hostname)
    .setEncoding('utf8')
    .on('error', () => {});
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  // Not by `once`, which rejects when the connection is refused or reset.
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, answer };
}
