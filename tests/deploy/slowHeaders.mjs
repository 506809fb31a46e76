// Keeps `count` requests open whose headers never end, from one address, and opens each anew that the server closes.
// Runs as a worker thread, so that the test has time to answer and ask. Posts a message once all are open.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { port, localAddress, header, count, dripMs } = workerData;
const sockets = new Set();
let told = false;

function open() {
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    socket.write(header);
    if (told || [...sockets].some(({ readyState }) => readyState !== 'open') || sockets.size < count) return;
    told = true;
    parentPort?.postMessage('open');
  });
  sockets.add(socket);
  // A refused one may be reset.
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket) && open());
  socket.resume();
}

for (let opened = 0; opened < count; opened += 1) open();
setInterval(() => sockets.forEach((socket) => void socket.write('X: y\r\n')), dripMs);
