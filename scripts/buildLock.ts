import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { PROJECT_ROOT } from '../server/config/folders.ts';

/**
 * Runs `work` while no other process writes generated code or `dist/`, waiting for it as long as it takes. The lock
 * is a socket on which its holder listens, so that a killed one holds it no longer
 * (docs/decisions/0033-build-on-start.md).
 * @param folder - the folder of the lock
 */
export async function withBuildLock<T>(
  work: () => Promise<T>,
  folder = path.join(PROJECT_ROOT, 'dist'),
): Promise<T> {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
  // Relative, since the path of a socket has at most 100 characters or so.
  const socket = path.relative('', path.join(folder, 'build.sock'));
  const waiting: Socket[] = [];
  const lock = createServer((other) => waiting.push(other.on('error', () => {})));
  while (!(await isFree(lock, socket))) await holderEnds(socket);
  try {
    return await work();
  } finally {
    lock.close();
    for (const other of waiting) other.destroy();
  }
}

/** Listens unless another process does. True also on a file system without sockets, which has no lock. */
function isFree(lock: Server, socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    lock.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    lock.listen(socket, () => resolve(true));
  });
}

/**
 * Resolves when the connection to the holder ends. Removes the socket of a holder that was killed.
 * @throws {Error} when this user may not use the socket
 */
function holderEnds(socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connect(socket, () => console.log('Another process is building: waiting for it.'))
      .once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') rmSync(socket, { force: true });
        else if (error.code === 'EACCES') reject(error);
      })
      .once('close', () => resolve())
      .resume();
  });
}
