import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { MINUTE_MS } from '../../shared/durations.ts';
import { rateLimited } from '../errors.ts';
import { largestNetworkOf, networksOf } from '../http/ipAddress.ts';
import { BUSY_RETRY_AFTER_MS, createLimitPerGroup, type Permit } from '../http/limitPerGroup.ts';
import type { DeviceBrowser } from './signedJwt.ts';

/*
 * A sign-in passes, in this order: the queue that is fair to networks (http/fairQueue.ts); the limits of what runs at
 * once, in memory (`createSignInSlots`); the counts of failures, in the database (attemptCounts.ts), where the attempts
 * of one browser, or of one username from one network, wait for each other from the third on (`createSemaphorePerGroup`);
 * the queue for hashing (`createHashQueue`); the start of the session (sessions.ts).
 */

export const SIGN_IN_WINDOW_MINUTES = 15;
export const SIGN_IN_WINDOW_MS = SIGN_IN_WINDOW_MINUTES * MINUTE_MS;

/** Failures in a window. A known browser is one in which the account signed in (docs/decisions/0009-sign-in-limits.md). */
export const SIGN_IN_LIMITS = {
  usernameInNetwork: 5,
  network: 100,
  knownBrowser: 5,
  allKnownBrowsers: 20,
};

export const MAX_AT_ONCE = {
  /** Per network, or per account in known browsers; enough for a studio's people at kick-off. */
  networkOrAccount: 12,
  /** Per username in unknown browsers. Higher than `networkOrAccount`, so that one IPv4 address or /64 cannot use it up. */
  username: 24,
  largeNetwork: 24,
  /**
   * Per instance, of one known browser, or of one username from one network; others wait. Two instances together stay
   * below the limit of 5, so that right passwords sent at once do not refuse each other.
   */
  counted: 2,
};

const LIBUV_THREADS = 4;
export const HASH_QUEUE = {
  /** One more than cores, at most 3, so that file reads and DNS keep a libuv thread. */
  maxRunning: Math.min(availableParallelism() + 1, LIBUV_THREADS - 1),
  /** Of each priority. It is high, because refused clients retry at once. */
  maxWaiting: 1_000,
  maxWaitMs: 1_600,
};

export type SlotRequest = {
  username: string;
  address: string;
  browser: DeviceBrowser | null;
};

/** One sign-in that is under way; call `release` once, when it is over. */
export type SignInSlot = { priority: number; release(): void };

/**
 * Creates the function that takes a slot for a sign-in (docs/decisions/0009-sign-in-limits.md). It throws
 * `RATE_LIMITED` when the network, the username, or the account in known browsers has too many sign-ins under way. The
 * more they have, the lower the priority; with equally many, a known browser goes first.
 */
export function createSignInSlots(): (request: SlotRequest) => SignInSlot {
  const limitNetworkOrAccount = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.networkOrAccount });
  const limitLargeNetwork = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.largeNetwork });
  const limitUsername = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.username });

  return ({ username, address, browser }) => {
    if (browser !== null) {
      // The version keeps cookies of an earlier password from using up this limit.
      const account = `account ${browser.accountId} ${browser.credentialsVersion}`;
      const { othersUnderWay, release } = limitNetworkOrAccount.acquire(account);
      return { priority: 1 - othersUnderWay, release };
    }
    const held: Permit[] = [];
    const release = () => {
      for (const permit of held) permit.release();
    };
    try {
      const [network] = networksOf(address);
      const inNetwork = limitNetworkOrAccount.acquire(`network ${network}`);
      held.push(inNetwork);
      held.push(limitLargeNetwork.acquire(largestNetworkOf(address)));
      const ofUsername = limitUsername.acquire(username);
      held.push(ofUsername);
      return { priority: -Math.max(inNetwork.othersUnderWay, ofUsername.othersUnderWay), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/**
 * Creates a semaphore for each group. The returned function waits until fewer than `maxAtOnce` of the group are under
 * way, and resolves with the function that releases the semaphore, to be called once.
 */
export function createSemaphorePerGroup({ maxAtOnce }: { maxAtOnce: number }) {
  const queues = new Map<string, PQueue>();

  return (group: string): Promise<() => void> => {
    const queue = queues.get(group) ?? new PQueue({ concurrency: maxAtOnce });
    if (!queues.has(group)) {
      queues.set(group, queue);
      queue.on('idle', () => queues.delete(group));
    }
    return new Promise((acquired) => {
      void queue.add(() => new Promise<void>((release) => acquired(release)));
    });
  };
}

/**
 * Creates the queue in which passwords wait to be hashed, the highest priority first. It throws `RATE_LIMITED` after
 * waiting too long, or when too many of the same priority wait.
 */
export function createHashQueue({
  maxRunning = HASH_QUEUE.maxRunning,
  maxWaiting = HASH_QUEUE.maxWaiting,
  maxWaitMs = HASH_QUEUE.maxWaitMs,
}: {
  maxRunning?: number | undefined;
  maxWaiting?: number | undefined;
  maxWaitMs?: number | undefined;
} = {}) {
  const queue = new PQueue({ concurrency: Math.min(maxRunning, HASH_QUEUE.maxRunning) });

  return async <T>(priority: number, hash: () => Promise<T>): Promise<T> => {
    if (queue.sizeBy({ priority }) >= maxWaiting) throw tooMany();
    const waiting = new AbortController();
    // A random time, so that refused clients do not all come back at once.
    const timer = setTimeout(() => waiting.abort(tooMany()), maxWaitMs * (0.5 + Math.random() / 2));
    const start = () => {
      clearTimeout(timer);
      return hash();
    };
    return queue.add(start, { priority, signal: waiting.signal });
  };
}

function tooMany() {
  return rateLimited('AT_ONCE', 'Too many sign in at once', BUSY_RETRY_AFTER_MS);
}
