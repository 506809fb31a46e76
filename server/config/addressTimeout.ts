import net from 'node:net';

/** How long each address of a name is tried, but for the last: an IPv6 address may lead nowhere, and IPv4 be slow. */
export const ADDRESS_TIMEOUT_MS = 600;

/** Node's own 250 ms are less than a slow network takes to connect (tests/deploy/slowNetwork.test.ts). */
export function allowSlowAddresses(): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);
}
