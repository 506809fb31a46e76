import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { MINUTE_MS, SECOND_MS } from '../../shared/durations.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { CodedError, rateLimited } from '../errors.ts';
import { createLimitPerGroup } from '../http/limitPerGroup.ts';
import { ProviderNotAsked } from './providerErrors.ts';

export type TokenLimits = {
  maxAtOnce: number;
  maxPerMinute: number;
};

const TOKEN_LIMITS: TokenLimits = { maxAtOnce: 4, maxPerMinute: 60 };

const KEY_SHARE = 1 / 3;

export type TokenRequester = { accountId: string; client: TokenClient; keyName: string | null };

/** @throws {CodedError} `RATE_LIMITED` with `retryAfterSeconds`, at once and without running the work */
export type LimitTokens = <T>(requester: TokenRequester, work: () => Promise<T>) => Promise<T>;

/** Limits tokens by account and kind of client, and by key (docs/decisions/0028-token-limits.md). */
export function createTokenLimits(limits: TokenLimits = TOKEN_LIMITS): LimitTokens {
  const limitAccount = createLimit(limits, 'Too many tokens in a minute');
  const limitKey = createLimit(keyLimits(limits), 'Too many tokens of this key in a minute');

  return ({ accountId, client, keyName }, work) => {
    const inAccount = () => limitAccount(`${client} ${accountId}`, work);
    return keyName === null ? inAccount() : limitKey(JSON.stringify([accountId, keyName]), inAccount);
  };
}

function createLimit({ maxAtOnce, maxPerMinute }: TokenLimits, refusal: string) {
  const atOnce = createLimitPerGroup({ maxAtOnce });
  const perMinute = new RateLimiterMemory({ points: maxPerMinute, duration: MINUTE_MS / SECOND_MS });

  async function count(subject: string): Promise<void> {
    try {
      await perMinute.consume(subject);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      // The library reports more than a minute if the clock was set back; its timer still clears the count in time.
      throw rateLimited('USED_UP', refusal, Math.min(error.msBeforeNext, MINUTE_MS));
    }
  }

  return <T>(subject: string, work: () => Promise<T>): Promise<T> =>
    atOnce.run(subject, async () => {
      await count(subject);
      try {
        return await work();
      } catch (error) {
        if (endedBeforeProvider(error)) await perMinute.reward(subject);
        throw error;
      }
    });
}

/** The limit of the account, inside that of the key, refuses with `RATE_LIMITED` before anything is asked. */
function endedBeforeProvider(error: unknown): boolean {
  return error instanceof ProviderNotAsked || (error instanceof CodedError && error.code === 'RATE_LIMITED');
}

function keyLimits({ maxAtOnce, maxPerMinute }: TokenLimits): TokenLimits {
  return { maxAtOnce: Math.ceil(maxAtOnce * KEY_SHARE), maxPerMinute: Math.ceil(maxPerMinute * KEY_SHARE) };
}
