import { createLimitPerGroup, type Reservation } from '../concurrency/limitPerGroup.ts';
import { largestNetworkOf, networksOf } from '../http/networksOf.ts';
import type { KnownBrowser } from './deviceJwt.ts';
import { MAX_AT_ONCE } from './signInLimits.ts';

export type SignInCaller = {
  username: string;
  address: string;
  browser: KnownBrowser | null;
};

/** The place of one sign-in among those under way; call `release` once, when it is over. */
export type Place = { priority: number; release(): void };

/**
 * Creates the function that reserves a place for a sign-in (docs/decisions/0009-sign-in-limits.md). It throws
 * `RATE_LIMITED` when the network, the username, or the account in known browsers has too many sign-ins under way. The
 * more they have, the lower the priority; with equally many, a known browser goes first.
 */
export function createReservations(): (caller: SignInCaller) => Place {
  const limitCaller = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.caller });
  const limitLargeNetwork = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.largeNetwork });
  const limitUsername = createLimitPerGroup({ maxAtOnce: MAX_AT_ONCE.username });

  return ({ username, address, browser }) => {
    if (browser !== null) {
      // The version keeps cookies of an earlier password from using up this limit.
      const account = `account ${browser.accountId} ${browser.credentialsVersion}`;
      const { othersUnderWay, release } = limitCaller.reserve(account);
      return { priority: 1 - othersUnderWay, release };
    }
    const held: Reservation[] = [];
    const release = () => {
      for (const reservation of held) reservation.release();
    };
    try {
      const [network] = networksOf(address);
      const inNetwork = limitCaller.reserve(`network ${network}`);
      held.push(inNetwork);
      held.push(limitLargeNetwork.reserve(largestNetworkOf(address)));
      const ofUsername = limitUsername.reserve(username);
      held.push(ofUsername);
      return { priority: -Math.max(inNetwork.othersUnderWay, ofUsername.othersUnderWay), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}
