import { readDatabaseTime } from '../../../database/clock.ts';
import type { Account, PrismaClient } from '../../../generated/prisma/client.ts';
import {
  attemptKey,
  type Counter,
  counterOfAllBrowsers,
  countersOfNetwork,
} from '../../../signIn/attemptCounts.ts';
import { jwtSecrets } from '../../../signIn/signedJwt.ts';

export type FailedSignIns = {
  of: 'KNOWN_BROWSERS' | 'USERNAME_IN_NETWORK' | 'NETWORK';
  network: string | null;
  failures: number;
  limit: number;
  /** The time at which the failures are forgotten; null if there are none. */
  until: Date | null;
};

/**
 * Returns the failed sign-ins that count against an account now, by the database's clock: those of its known browsers
 * together, and those of the network of `address`. The rows of other networks cannot be found, since only HMACs of
 * them are stored.
 */
export async function readFailedSignIns(
  prisma: PrismaClient,
  { id, username, attemptsVersion }: Pick<Account, 'id' | 'username' | 'attemptsVersion'>,
  { address, jwtSecret }: { address: string | null; jwtSecret: string },
): Promise<FailedSignIns[]> {
  const { current: secret } = jwtSecrets(jwtSecret);
  const counters: Array<Pick<FailedSignIns, 'of'> & { counter: Counter }> = [
    { of: 'KNOWN_BROWSERS', counter: counterOfAllBrowsers(id, attemptsVersion) },
  ];
  if (address !== null) {
    const { own, shared } = countersOfNetwork(username, attemptsVersion, address);
    counters.push({ of: 'USERNAME_IN_NETWORK', counter: own });
    counters.push(...shared.map((counter) => ({ of: 'NETWORK', counter }) as const));
  }
  const rows = await prisma.attemptCount.findMany({
    where: { key: { in: counters.map(({ counter }) => attemptKey(counter, secret)) } },
  });
  const now = await readDatabaseTime(prisma);
  return counters.map(({ of, counter }) => {
    const key = attemptKey(counter, secret);
    const row = rows.find((each) => each.key === key && each.expiresAt > now && each.failures > 0);
    return {
      of,
      network: of === 'KNOWN_BROWSERS' ? null : String(counter.subject.at(-1)),
      failures: row?.failures ?? 0,
      limit: counter.limit,
      until: row?.expiresAt ?? null,
    };
  });
}
