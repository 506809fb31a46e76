const MINUTE_MS = 60_000;

/** From more networks within the window, wrong passwords for one account are no forgetful partner's. */
export const MANY_NETWORKS = { maxNetworks: 10, windowMs: 15 * MINUTE_MS };

/** Receives the failures of sign-ins that name an account. */
export type SignInObserver = {
  /** @param network - the largest that the address counts against, of `networksOf` */
  onFailure(accountId: string, network: string): void;
};

/**
 * Calls `onManyNetworks` once a window for an account whose sign-ins fail from many networks: guessing that stays within the
 * limits of each. Counted by this instance alone, in memory: eleven networks at most for each account, for 15 minutes.
 */
export function watchNetworks({
  clock,
  onManyNetworks,
}: {
  clock: () => Date;
  onManyNetworks(accountId: string): void;
}): SignInObserver {
  /** In the order of their windows. */
  const failuresByAccount = new Map<string, { startMs: number; networks: Set<string> }>();

  return {
    onFailure(accountId, network) {
      const nowMs = clock().getTime();
      for (const [id, { startMs }] of failuresByAccount) {
        if (nowMs - startMs < MANY_NETWORKS.windowMs) break;
        failuresByAccount.delete(id);
      }
      const failures = failuresByAccount.get(accountId) ?? { startMs: nowMs, networks: new Set() };
      failuresByAccount.set(accountId, failures);
      if (failures.networks.size > MANY_NETWORKS.maxNetworks) return;
      failures.networks.add(network);
      if (failures.networks.size > MANY_NETWORKS.maxNetworks) onManyNetworks(accountId);
    },
  };
}
