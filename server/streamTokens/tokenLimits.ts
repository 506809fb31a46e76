import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../errors.ts';
import type { TokenClient } from '../generated/prisma/client.ts';
import { createKeyedLimit } from '../keyedLimit.ts';

const MINUTE_MS = 60_000;

export type TokenLimits = {
  maxAtOnce: number;
  maxPerMinute: number;
};

export const TOKEN_LIMITS: TokenLimits = { maxAtOnce: 4, maxPerMinute: 60 };

const KEY_SHARE = 1 / 3;

export const KEY_LIMITS = keyLimits(TOKEN_LIMITS);

export type TokenCallers = { accountId: string; client: TokenClient; keyName: string | null };

/** @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work */
export type LimitTokens = <T>(callers: TokenCallers, work: () => Promise<T>) => Promise<T>;

/**
 * No account keeps the others from the provider, and no key its account's other keys. Each instance counts alone, in memory, and
 * forgets a count after its minute.
 */
export function createTokenLimits(limits: TokenLimits = TOKEN_LIMITS): LimitTokens {
  const ofAccount = createLimit(limits, 'Too many tokens in a minute');
  const ofKey = createLimit(keyLimits(limits), 'Too many tokens of this key in a minute');

  return async ({ accountId, client, keyName }, work) => {
    const account = `${client} ${accountId}`;
    if (keyName === null) {
      return ofAccount.run(account, async () => {
        await ofAccount.count(account);
        return work();
      });
    }
    const key = JSON.stringify([accountId, keyName]);
    return ofKey.run(key, () =>
      ofAccount.run(account, async () => {
        await ofKey.count(key);
        // A request that the account's limit refuses does not count against the key's.
        await ofAccount.count(account).catch(async (error: unknown) => {
          await ofKey.takeBack(key);
          throw error;
        });
        return work();
      }),
    );
  };
}

function createLimit({ maxAtOnce, maxPerMinute }: TokenLimits, refusal: string) {
  const atOnce = createKeyedLimit({ maxAtOnce });
  const perMinute = new RateLimiterMemory({ points: maxPerMinute, duration: MINUTE_MS / 1_000 });

  return {
    run: atOnce.run,
    async count(subject: string): Promise<void> {
      try {
        await perMinute.consume(subject);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        // If the clock was set back, the library tells more than a minute, although its timer still clears the count in time.
        throw rateLimited(refusal, Math.min(error.msBeforeNext, MINUTE_MS));
      }
    },
    takeBack: (subject: string) => perMinute.reward(subject),
  };
}

function keyLimits({ maxAtOnce, maxPerMinute }: TokenLimits): TokenLimits {
  return { maxAtOnce: Math.ceil(maxAtOnce * KEY_SHARE), maxPerMinute: Math.ceil(maxPerMinute * KEY_SHARE) };
}
