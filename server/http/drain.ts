import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';

/** How long an idle connection may still bring a request: longer than nginx keeps one (docs/nginx.conf). */
export const IDLE_PATIENCE_MS = 5_000;
/**
 * Enough for every request but a `createToken` that meets a slow provider and a slow database: that takes up to 10 s
 * (docs/decisions/0016-database-time-limits.md), which is when others kill.
 */
const DRAIN_LIMIT_MS = 8_000;
const QUIET_TURN_MS = 0.1;
const QUIET_TURN_LIMIT_MS = 2_000;

/**
 * Stops accepting connections, answers what still comes over the open ones, and ends when none is left
 * (docs/decisions/0017-shutdown.md). From then on the server is not `listening`, and its answers have to say
 * `connection: close`.
 * @param idlePatienceMs - after which idle connections are closed
 * @param further - what else accepts connections for this server (listeners.ts)
 * @returns whether every request was answered; those that were not are cut off after 8 s
 */
export async function drain(
  server: Server,
  idlePatienceMs: number,
  further: readonly TcpServer[] = [],
): Promise<boolean> {
  if (!server.listening) return true;
  const startMs = performance.now();
  await quietTurn();
  const closed = Promise.all(
    [server, ...further].map(
      (listener) =>
        new Promise<void>((resolve) => {
          // http's own close() would also close idle connections, over which a request may be on its way.
          TcpServer.prototype.close.call(listener, () => resolve());
        }),
    ),
  );
  let isWhole = true;
  const patience = setTimeout(() => closeIdle(server), idlePatienceMs);
  const limit = setTimeout(
    () => {
      isWhole = false;
      server.closeAllConnections();
    },
    DRAIN_LIMIT_MS - (performance.now() - startMs),
  );
  await closed;
  clearTimeout(patience);
  clearTimeout(limit);
  return isWhole;
}

function closeIdle(server: Server): void {
  server.closeIdleConnections();
  // For those over which nothing came yet: Node counts them as busy, and looks at their time every second.
  server.headersTimeout = 1;
}

/**
 * Waits for a turn of the event loop that found nothing to do. A connection that the system has taken for us and that
 * we have not accepted yet is reset with the listening socket: right after such a turn there is none.
 */
async function quietTurn(): Promise<void> {
  const giveUpMs = performance.now() + QUIET_TURN_LIMIT_MS;
  let startMs: number;
  do {
    await wait(1);
    startMs = performance.now();
    await setImmediate();
  } while (performance.now() - startMs > QUIET_TURN_MS && startMs < giveUpMs);
}
