import net from 'node:net';

/** How long an address of a host is tried before the next one: IPv6 may lead nowhere, and IPv4 be slow. */
export const ADDRESS_TIMEOUT_MS = 600;

/** Node's own 250 ms are less than a slow network takes to connect (tests/deploy/slowNetwork.test.ts). */
export function allowSlowAddresses(): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);
}
