import { SIGN_IN_WINDOW_MS } from './signInLimits.ts';

export const MAX_FAILING_NETWORKS = 10;

export type SignInObserver = {
  onFailure(accountId: string, largestNetwork: string): void;
};

/**
 * Calls `onManyNetworks` when sign-ins to one account fail from many networks, at most once a window: such guessing
 * stays within each network's limit. Each instance counts alone, and keeps at most `MAX_FAILING_NETWORKS` + 1 networks
 * of an account.
 */
export function createGuessingAlarm({
  clock,
  onManyNetworks,
}: {
  clock: () => Date;
  onManyNetworks(accountId: string): void;
}): SignInObserver {
  // The oldest window first.
  const failuresByAccount = new Map<string, { startMs: number; networks: Set<string> }>();

  return {
    onFailure(accountId, network) {
      const nowMs = clock().getTime();
      for (const [id, { startMs }] of failuresByAccount) {
        // A start in the future means that the clock was set back.
        if (startMs <= nowMs && nowMs - startMs < SIGN_IN_WINDOW_MS) break;
        failuresByAccount.delete(id);
      }
      const failures = failuresByAccount.get(accountId) ?? { startMs: nowMs, networks: new Set() };
      failuresByAccount.set(accountId, failures);
      if (failures.networks.size > MAX_FAILING_NETWORKS) return;
      failures.networks.add(network);
      if (failures.networks.size > MAX_FAILING_NETWORKS) onManyNetworks(accountId);
    },
  };
}
