import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `silent` drops all bytes of present and new connections, for good. */
type ProxyMode = 'pass' | 'silent';

type Connection = { near: Socket; far: Socket; isDead: boolean };

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** @param changeFirst - changes the first bytes that a client sends */
export async function startTcpProxy(targetPort: number, changeFirst = (bytes: Buffer) => bytes) {
  let mode: ProxyMode = 'pass';
  const connections = new Set<Connection>();
  const server = createServer((near) => {
    const connection = { near, far: connect(targetPort, '127.0.0.1'), isDead: mode === 'silent' };
    connections.add(connection);
    near.on('close', () => connections.delete(connection));
    relay(connection, near, connection.far, changeFirst);
    relay(connection, connection.far, near);
  });

  function relay(
    connection: Connection,
    from: Socket,
    to: Socket,
    changeFirst = (bytes: Buffer) => bytes,
  ): void {
    let change = changeFirst;
    from.setNoDelay().on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      if (!connection.isDead && to.writable) to.write(change(chunk));
      change = (bytes) => bytes;
    });
    from.on('close', (hadError) => {
      if (hadError && !connection.isDead) to.resetAndDestroy();
      else if (!connection.isDead) to.end();
    });
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(newMode: ProxyMode) {
      mode = newMode;
      if (mode === 'silent') for (const connection of connections) connection.isDead = true;
    },
    connection: () => once(server, 'connection'),
    cut() {
      for (const { near, far } of connections) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    /** Refuses new connections; open ones stay. */
    refuse: () => void server.close(),
    close() {
      server.close();
      for (const { near, far } of connections) {
        near.destroy();
        far.destroy();
      }
    },
  };
}
