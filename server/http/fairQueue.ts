import type { FastifyInstance } from 'fastify';
import { addressOf } from './ipAddress.ts';
import { largestNetworkOf } from './networksOf.ts';

/** Requests that a network may start in one turn of the event loop; refusing so many takes about 10 ms. */
export const MAX_STARTED_PER_TURN = 32;

export function addFairQueue(app: FastifyInstance): void {
  const inQueue = createFairQueue({ perTurn: MAX_STARTED_PER_TURN });
  app.addHook('preHandler', async (request) => inQueue(largestNetworkOf(addressOf(request))));
}

/** Returns undefined when a request of this network may start at once. */
export type FairQueue = (network: string) => Promise<void> | undefined;

/**
 * Each network starts at most `perTurn` requests in one turn of the event loop, and the rest in later turns. During a flood from
 * one network the loop still reads the requests of others and the database's answers (docs/decisions/0009-sign-in-limits.md).
 */
export function createFairQueue({ perTurn }: { perTurn: number }): FairQueue {
  const started = new Map<string, number>();
  const waiting = new Map<string, Array<() => void>>();

  function nextTurn(): void {
    started.clear();
    for (const [network, queue] of waiting) {
      const next = queue.splice(0, perTurn);
      if (queue.length === 0) waiting.delete(network);
      start(network, next.length);
      for (const begin of next) begin();
    }
  }

  function start(network: string, requests: number): void {
    if (started.size === 0) setImmediate(nextTurn);
    started.set(network, (started.get(network) ?? 0) + requests);
  }

  return (network) => {
    const queue = waiting.get(network);
    if (queue === undefined && (started.get(network) ?? 0) < perTurn) {
      start(network, 1);
      return undefined;
    }
    return new Promise((begin) => {
      if (queue === undefined) waiting.set(network, [begin]);
      else queue.push(begin);
    });
  };
}
