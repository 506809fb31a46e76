import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '../../shared/durations.ts';
import { ipAddressOf, largestNetworkOf, UNKNOWN_ADDRESS } from '../http/ipAddress.ts';

/** 10 a second: far below what journald takes from a service, 10,000 lines in 30 s. */
const MAX_LINES_PER_MINUTE = 600;

export type LineLimit = {
  /** Counts a line that a caller causes; returns whether to write it. */
  allows(address: string | undefined): boolean;
  isUsedUp(address: string | undefined): boolean;
  close(): void;
};

/**
 * Limits the lines that the callers of one network cause in a minute, so that a flood neither fills the disk nor hides
 * other callers' lines. After the minute one line says how many were left out.
 */
export function createLineLimit(
  log: FastifyBaseLogger,
  maxLinesPerMinute: number = MAX_LINES_PER_MINUTE,
): LineLimit {
  const linesOf = new Map<string, number>();

  function startMinute(): void {
    for (const [network, lines] of linesOf) {
      const leftOut = lines - maxLinesPerMinute;
      if (leftOut > 0) log.info({ network, leftOut }, 'requests without a line');
    }
    linesOf.clear();
  }

  const networkOf = (address: string | undefined) =>
    largestNetworkOf(ipAddressOf(address) ?? UNKNOWN_ADDRESS);
  const timer = setInterval(startMinute, MINUTE_MS).unref();
  return {
    allows(address) {
      const network = networkOf(address);
      const lines = (linesOf.get(network) ?? 0) + 1;
      linesOf.set(network, lines);
      return lines <= maxLinesPerMinute;
    },
    isUsedUp: (address) => (linesOf.get(networkOf(address)) ?? 0) >= maxLinesPerMinute,
    close() {
      clearInterval(timer);
      startMinute();
    },
  };
}
