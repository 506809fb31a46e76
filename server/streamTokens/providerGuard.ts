import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
  type IBackoff,
} from 'cockatiel';
import { ProviderAbsent, type ProviderFailure, unavailable } from './providerFailures.ts';

const ABSENCES_TO_OPEN = 5;
const OPEN_MS = 2_000;

export type ProviderGuard = {
  /**
   * What `question` answers, or at once `PROVIDER_UNAVAILABLE` where it may not be asked.
   * @param question - is told whether it had to wait for its turn
   */
  ask<Answer>(
    question: (hasWaited: boolean) => Promise<Answer | ProviderFailure>,
  ): Promise<Answer | ProviderFailure>;
  /** Open: it is left alone, until somebody asks after the pause. Half open: one is trying. */
  state(): BreakerState;
};

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/**
 * Keeps questions away from a provider that is not there, and bounds how many are asked at a time
 * (docs/decisions/0010-provider-breaker.md). After five answers in a row that are `ProviderAbsent`, none is asked for
 * 2 s; then a single one tries, and its answer decides. Whatever else is answered shows that the provider is there.
 */
export function createProviderGuard(limits: { atOnce: number; waiting: number }): ProviderGuard {
  const turns = bulkhead(limits.atOnce, limits.waiting);
  const breaker = circuitBreaker(
    handleWhenResult((answer) => answer instanceof ProviderAbsent),
    { breaker: new ConsecutiveBreaker(ABSENCES_TO_OPEN), halfOpenAfter: { next: () => pause(OPEN_MS) } },
  );

  async function ask<Answer>(
    question: (hasWaited: boolean) => Promise<Answer | ProviderFailure>,
  ): Promise<Answer | ProviderFailure> {
    const hasToWait = turns.executionSlots === 0;
    try {
      return await turns.execute(() => {
        // The library would have everyone wait for the one that tries.
        if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
        return breaker.execute(() => question(hasToWait));
      });
    } catch (error) {
      if (error instanceof BrokenCircuitError) return unavailable('left_alone', 'not asked: it is absent');
      if (error instanceof BulkheadRejectedError)
        return unavailable('queue_full', 'not asked: too many wait for it');
      throw error;
    }
  }

  function state(): BreakerState {
    if (breaker.state === CircuitState.Closed) return 'closed';
    return breaker.state === CircuitState.HalfOpen ? 'half_open' : 'open';
  }

  return { ask, state };
}

/** The library compares times of day, which may be set back: this is over by the clock that nobody sets. */
function pause(durationMs: number): IBackoff<unknown> {
  const end = performance.now() + durationMs;
  return {
    get duration() {
      return performance.now() < end ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    },
    next: () => pause(durationMs),
  };
}
