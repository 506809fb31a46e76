import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';

/** The time in which an idle connection may still bring a request: longer than nginx keeps one (deploy/nginx.conf). */
export const IDLE_PATIENCE_MS = 5_000;
/**
 * Must stay below 10 s, when `docker stop` and others kill the process. Too short only for a `createToken` that meets a
 * slow provider and a slow database (`LONGEST_CREATION_MS`).
 */
const DRAIN_LIMIT_MS = 8_000;
const ACCEPT_LIMIT_MS = 2_000;

/**
 * Stops accepting connections, answers requests over the open ones, and resolves when none is left
 * (docs/decisions/0017-shutdown.md). Meanwhile the server is not `listening`, and its answers must say
 * `connection: close`.
 * @param idlePatienceMs - after this time idle connections are closed
 * @returns true when every request was answered, false when some were cut off after 8 s
 */
export async function drain(server: Server, idlePatienceMs: number): Promise<boolean> {
  if (!server.listening) return true;
  const closed = new Promise<void>((resolve) => {
    // http's own close() would also end idle connections, over which a request may be on its way.
    onceNoneWaits(server, () => TcpServer.prototype.close.call(server, () => resolve()));
  });
  let isWhole = true;
  const patience = setTimeout(() => closeIdle(server), idlePatienceMs);
  const limit = setTimeout(() => {
    isWhole = false;
    server.closeAllConnections();
  }, DRAIN_LIMIT_MS);
  await closed;
  clearTimeout(patience);
  clearTimeout(limit);
  return isWhole;
}

function closeIdle(server: Server): void {
  server.closeIdleConnections();
  // Also ends connections that have sent no request: Node counts them as busy, and checks their time every second.
  server.headersTimeout = 1;
}

/**
 * Calls `close` in a turn of the event loop in which no connection came: closing the listening socket resets those that
 * wait to be accepted. A callback and no promise, since each microsecond before the close counts.
 */
function onceNoneWaits(server: Server, close: () => void): void {
  const giveUpMs = performance.now() + ACCEPT_LIMIT_MS;
  let hasAccepted = true;
  server.on('connection', () => {
    hasAccepted = true;
  });
  setImmediate(function look() {
    if (!hasAccepted || performance.now() > giveUpMs) return close();
    hasAccepted = false;
    setImmediate(look);
  });
}
