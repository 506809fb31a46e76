import PQueue from 'p-queue';
import { rateLimited } from '../errors.ts';
import { largestNetworkOf, networksOf } from '../http/networksOf.ts';
import { BUSY_RETRY_AFTER_MS, createLimitPerGroup } from '../limitPerGroup.ts';
import type { KnownBrowser } from './deviceJwt.ts';
import { MAX_AT_ONCE, SIGN_IN_QUEUE } from './signInLimits.ts';

export type SignInCaller = {
  username: string;
  address: string;
  browser: KnownBrowser | null;
};

/** @throws {CodedError} `RATE_LIMITED` if the turn does not come in time */
export type HashInQueue = <T>(hash: () => Promise<T>) => Promise<T>;

/**
 * Creates the function that runs a sign-in (docs/decisions/0009-sign-in-limits.md). Only its password check waits in the
 * queue; its queries do not, so a slow database keeps nobody from hashing. It throws `RATE_LIMITED` at once when the
 * network, the username, or the account in known browsers has too many sign-ins under way.
 */
export function createSignInQueue({
  maxRunning = SIGN_IN_QUEUE.maxRunning,
  maxWaiting = SIGN_IN_QUEUE.maxWaiting,
  maxWaitMs = SIGN_IN_QUEUE.maxWaitMs,
}: {
  maxRunning?: number | undefined;
  maxWaiting?: number | undefined;
  maxWaitMs?: number | undefined;
} = {}) {
  const limitCaller = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.caller });
  const limitLargeNetwork = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.largeNetwork });
  const limitUsername = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.username });
  const queue = new PQueue({ concurrency: Math.min(maxRunning, SIGN_IN_QUEUE.maxRunning) });

  return <T>(
    { username, address, browser }: SignInCaller,
    signIn: (hashInQueue: HashInQueue) => Promise<T>,
  ): Promise<T> => {
    // The more sign-ins a network, username or account has under way, the lower the priority of its next one; with
    // equally many, a known browser goes first.
    if (browser !== null) {
      // The version keeps cookies of an earlier password from using up this limit.
      const account = `account ${browser.accountId} ${browser.credentialsVersion}`;
      return limitCaller.run(account, (others) => signIn(queueWith(1 - others)));
    }
    const [network] = networksOf(address);
    return limitCaller.run(`network ${network}`, (ofNetwork) =>
      limitLargeNetwork.run(largestNetworkOf(address), () =>
        limitUsername.run(username, (ofUsername) => signIn(queueWith(-Math.max(ofNetwork, ofUsername)))),
      ),
    );
  };

  function queueWith(priority: number): HashInQueue {
    return async (hash) => {
      if (queue.sizeBy({ priority }) >= maxWaiting) throw tooMany();
      const waiting = new AbortController();
      // A random time, so that refused callers do not all come back at once.
      const timer = setTimeout(() => waiting.abort(tooMany()), maxWaitMs * (0.5 + Math.random() / 2));
      const start = () => {
        clearTimeout(timer);
        return hash();
      };
      return queue.add(start, { priority, signal: waiting.signal });
    };
  }
}

function tooMany() {
  return rateLimited('Too many sign in at once', BUSY_RETRY_AFTER_MS);
}
