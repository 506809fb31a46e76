import { connect, type Socket } from 'node:net';

/**
 * A process of its own: holds many unfinished requests, sends a little more of each now and then, and opens another one for
 * each that is ended. Says `ready` after each time that all got more.
 * Arguments: the port, the address to come from, how many, the beginning of each as JSON, and what is sent then.
 */
const [, , port = '', localAddress = '', count = '', beginning = '', more = ''] = process.argv;
const DRIP_MS = 2_000;

const sockets = new Set<Socket>();
let connected = 0;

function open(): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  sockets.add(socket);
  socket.resume();
  socket.once('connect', () => {
    socket.write(JSON.parse(beginning));
    connected += 1;
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    sockets.delete(socket);
    open();
  });
}

for (let index = 0; index < Number(count); index += 1) open();
setInterval(() => {
  for (const socket of sockets) socket.write(JSON.parse(more));
  if (connected >= Number(count)) process.stdout.write('ready\n');
}, DRIP_MS);
