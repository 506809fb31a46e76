import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

type OnTunnel = (request: IncomingMessage, socket: Socket) => void;

/** A proxy of a studio's network: it forwards requests for http addresses and opens tunnels. */
export async function egressProxy(onTunnel: OnTunnel = openTunnel) {
  const asked: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    asked.push([method, url, headers['proxy-authorization']].filter(Boolean).join(' '));
  const server = createServer((incoming, outgoing) => {
    note(incoming);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const forwarded = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.writeHead(502).end());
    forwarded.end();
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    note(incoming);
    onTunnel(incoming, socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, asked, sockets };
}

function openTunnel({ url = '' }: IncomingMessage, socket: Socket): void {
  const [host, port] = url.split(':');
  const there = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    there.pipe(socket).pipe(there);
  });
  there.on('error', () => socket.destroy());
}
