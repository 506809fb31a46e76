import { createLimitPerGroup, type Permit } from '../concurrency/limitPerGroup.ts';
import { largestNetworkOf, networksOf } from '../http/networksOf.ts';
import type { DeviceBrowser } from './deviceJwt.ts';
import { MAX_AT_ONCE } from './signInLimits.ts';

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
