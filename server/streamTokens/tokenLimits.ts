import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../errors.ts';
import type { TokenClient } from '../generated/prisma/client.ts';
import { createShare } from '../shares.ts';

const MINUTE_MS = 60_000;

/** The limits of an account's browsers together; its tools together have the same. */
export type TokenLimits = {
  /** Requests under way. */
  maxAtOnce: number;
  /** Requests in a minute, counted from the first of them. */
  maxPerMinute: number;
};

export const TOKEN_LIMITS: TokenLimits = { maxAtOnce: 4, maxPerMinute: 60 };

/** The callers that share one limit: all browsers of an account, or all its tools. */
export type TokenCallers = { accountId: string; client: TokenClient };

/**
 * Runs the work within the limits of its callers.
 * @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work
 */
export type LimitTokens = <T>(callers: TokenCallers, work: () => Promise<T>) => Promise<T>;

/**
 * Limits each account's requests for tokens, so that no account keeps the others from the provider. Each instance counts alone, in
 * memory, and forgets a count after its minute.
 */
export function createTokenLimits(limits: TokenLimits = TOKEN_LIMITS): LimitTokens {
  const share = createShare({ maxAtOnce: limits.maxAtOnce });
  const perMinute = new RateLimiterMemory({ points: limits.maxPerMinute, duration: MINUTE_MS / 1_000 });

  return ({ accountId, client }, work) => {
    const key = `${client} ${accountId}`;
    return share.run(key, async () => {
      try {
        await perMinute.consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        // If the clock was set back, the library tells more than a minute, although its timer still clears the count in time.
        throw rateLimited('Too many tokens in a minute', Math.min(error.msBeforeNext, MINUTE_MS));
      }
      return work();
    });
  };
}
