import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Treatment of bytes in both directions: they pass at once or late. `silent` drops all bytes of present and new connections,
 * for good. `reset` resets every new connection.
 */
export type ProxyMode = 'pass' | 'silent' | 'reset' | { delayMs: number };

type Connection = { near: Socket; far: Socket; isDead: boolean };

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** Starts a TCP proxy in front of a local port that can be made to fail at any time. */
export async function startTcpProxy(targetPort: number) {
  let mode: ProxyMode = 'pass';
  let target = targetPort;
  const connections = new Set<Connection>();
  const server = createServer((near) => {
    if (mode === 'reset') return void near.resetAndDestroy();
    const connection = { near, far: connect(target, '127.0.0.1'), isDead: mode === 'silent' };
    connections.add(connection);
    near.on('close', () => connections.delete(connection));
    relay(connection, near, connection.far);
    relay(connection, connection.far, near);
  });

  function relay(connection: Connection, from: Socket, to: Socket): void {
    let sent = Promise.resolve();
    from.setNoDelay().on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      const dueMs = performance.now() + (typeof mode === 'object' ? mode.delayMs : 0);
      sent = sent.then(async () => {
        const earlyMs = dueMs - performance.now();
        if (earlyMs > 0) await delay(earlyMs);
        if (!connection.isDead && to.writable) to.write(chunk);
      });
    });
    from.on('close', (hadError) => {
      if (hadError && !connection.isDead) to.resetAndDestroy();
      else void sent.then(() => connection.isDead || to.end());
    });
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(newMode: ProxyMode) {
      mode = newMode;
      if (mode === 'silent') for (const connection of connections) connection.isDead = true;
    },
    /** Leads new connections to another port. */
    leadTo(newTarget: number) {
      target = newTarget;
    },
    /** Resets both ends of every connection. */
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
