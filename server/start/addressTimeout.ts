import net from 'node:net';
import { ADDRESS_TIMEOUT_MS } from '../../shared/creationTime.ts';

/** Node's own 250 ms are less than a slow network takes to connect (tests/deploy/slowNetwork.test.ts). */
export function allowSlowAddresses(): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);
}
