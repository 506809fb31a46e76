import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { rateLimited } from '../errors.ts';
import { addressOf, largestNetworkOf } from './ipAddress.ts';
import { BUSY_RETRY_AFTER_MS } from './limitPerGroup.ts';

const QUEUE: FairQueueOptions = {
  atOnceMs: 10,
  turnMs: 2,
  sliceMs: 1,
  // More than the connections of most floods, because refused clients retry at once.
  maxWaiting: 2_000,
};

type FairQueueOptions = {
  /**
   * While nobody waits, requests start at once, for this long in each turn: DataLoader then gathers the queries of those
   * that arrive together.
   */
  atOnceMs: number;
  /**
   * How long queued requests are started before the event loop goes on. Keep it short: Node accepts one connection in
   * each round of the loop, and with 10 ms a client waited 12 s behind a flood's 1,500 connections.
   */
  turnMs: number;
  sliceMs: number;
  maxWaiting: number;
  now?: () => number;
};

type QueuedRequest = { network: string; isGone(): boolean };

/**
 * Resolves when the request may start: to false if its client has gone.
 * @throws {CodedError} `RATE_LIMITED` when too many wait, and it is the newest of the network with most of them
 */
export type FairQueue = (request: QueuedRequest) => Promise<boolean>;

type Waiting = QueuedRequest & { resolve(isStarted: boolean): void; reject(error: Error): void };

export function addFairQueue(app: FastifyInstance, waitForTurn: FairQueue = createFairQueue(QUEUE)): void {
  app.addHook('preHandler', async (request, reply) => {
    const network = largestNetworkOf(addressOf(request));
    const isGone = () => request.raw.socket.destroyed;
    const isStarted = await waitForTurn({ network, isGone });
    // Otherwise Fastify would run the handler.
    if (!isStarted) reply.hijack();
  });
}

/**
 * Starts requests in turns of the event loop. In each turn the networks take slices of time, one after the other, so
 * that a network with many or costly requests delays nobody else's for long (docs/decisions/0009-sign-in-limits.md).
 */
export function createFairQueue({
  atOnceMs,
  turnMs,
  sliceMs,
  maxWaiting,
  now = () => performance.now(),
}: FairQueueOptions): FairQueue {
  // The network that is served next stands first.
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let isRunning = false;
  let turnStartMs: number | null = null;

  function mayStartAtOnce(): boolean {
    if (waiting > 0 || isRunning) return false;
    if (turnStartMs === null) {
      turnStartMs = now();
      setImmediate(() => {
        turnStartMs = null;
      });
    }
    return now() - turnStartMs < atOnceMs;
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting > 0) {
      await nextTurn();
      await takeTurn();
    }
    isRunning = false;
  }

  async function takeTurn(): Promise<void> {
    const endMs = now() + turnMs;
    // This loop also visits the networks that it puts back at the end.
    for (const [network, queue] of queues) {
      await takeSlice(queue);
      queues.delete(network);
      if (queue.length > 0) queues.set(network, queue);
      if (now() >= endMs) return;
    }
  }

  async function takeSlice(queue: Waiting[]): Promise<void> {
    const endMs = now() + sliceMs;
    do {
      const next = queue.shift();
      if (next === undefined) return;
      waiting -= 1;
      const isStarted = !next.isGone();
      next.resolve(isStarted);
      if (isStarted) await promisesSettled();
    } while (now() < endMs);
  }

  function refuseNewestOfLongestQueue(): void {
    let longest: Waiting[] = [];
    for (const queue of queues.values()) if (queue.length >= longest.length) longest = queue;
    waiting -= 1;
    longest.pop()?.reject(rateLimited('AT_ONCE', 'Too many requests at once', BUSY_RETRY_AFTER_MS));
  }

  return (request) => {
    if (mayStartAtOnce()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const queue = queues.get(request.network) ?? [];
      queues.set(request.network, queue);
      queue.push({ ...request, resolve, reject });
      waiting += 1;
      if (waiting > maxWaiting) refuseNewestOfLongestQueue();
      if (!isRunning) void run();
    });
  };
}

/** Resolves once all promises that can settle have: a tick requested in a microtask runs after all microtasks. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
