import { createHmac, type KeyObject } from 'node:crypto';
import { RateLimiterPrisma, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { networksOf } from '../http/networksOf.ts';
import type { KnownBrowser } from './deviceJwt.ts';
import { SIGN_IN_WINDOW_MS, type SignInLimits } from './signInLimits.ts';

const SECOND_MS = 1_000;

export type Counter = { limit: keyof SignInLimits; subject: readonly (string | number)[] };

/**
 * Counters that one attempt raises, the narrowest first. Success deletes `own` and lowers each `shared` by one. Those of an account
 * contain its `attemptsVersion` (0 for an unknown username), so that `account unlock`, which raises it, forgives them.
 */
export type Counters = { own: Counter; shared: readonly Counter[] };

export function countersOfBrowser({ id, accountId }: KnownBrowser, attemptsVersion: number): Counters {
  return {
    own: { limit: 'browser', subject: [id, attemptsVersion] },
    shared: [{ limit: 'browsers', subject: [accountId, attemptsVersion] }],
  };
}

export function countersOfNetwork(username: string, attemptsVersion: number, address: string): Counters {
  const networks = networksOf(address);
  return {
    own: { limit: 'account', subject: [username, attemptsVersion, networks[0]] },
    shared: networks.map((network) => ({ limit: 'network', subject: [network] })),
  };
}

export function createAttemptCounts(prisma: PrismaClient, key: KeyObject, limits: SignInLimits) {
  const limiterOf = (maxAttempts: number) =>
    new RateLimiterPrisma({
      storeClient: prisma,
      tableName: 'attemptCount',
      keyPrefix: '',
      points: maxAttempts,
      duration: SIGN_IN_WINDOW_MS / SECOND_MS,
      // server/database/expiredRows.ts deletes them.
      clearExpiredByTimeout: false,
    });
  const limiters = {
    account: limiterOf(limits.account),
    network: limiterOf(limits.network),
    browser: limiterOf(limits.browser),
    browsers: limiterOf(limits.browsers),
  };
  // This secret signs JWTs too. The input starts with `[`, so its HMAC can never be the signature of a JWT.
  const keyOf = ({ limit, subject }: Counter) =>
    createHmac('sha256', key)
      .update(JSON.stringify([limit, ...subject]))
      .digest('hex');

  // Another instance, whose clock differs, may have set the window's end.
  const tooMany = (waitMs: number) =>
    rateLimited('Too many attempts to sign in', Math.min(waitMs, SIGN_IN_WINDOW_MS));

  // One statement for all; the limiters' `reward` takes two for each.
  async function takeBack(counters: readonly Counter[]): Promise<void> {
    await prisma.attemptCount.updateMany({
      where: { key: { in: counters.map(keyOf) } },
      data: { points: { decrement: 1 } },
    });
  }

  return {
    /**
     * Counts one attempt with every counter, exactly, however many are counted at once and on however many instances.
     * @throws {CodedError} `RATE_LIMITED` when one counter is used up; the attempt then counts with none
     */
    async countAttempt({ own, shared }: Counters): Promise<void> {
      const counters = [own, ...shared];
      // The limiters read this clock too.
      const now = new Date();
      // Looks first, so that an attempt that is refused writes nothing.
      const counts = await prisma.attemptCount.findMany({
        where: { key: { in: counters.map(keyOf) }, expire: { gt: now } },
      });
      const waitsMs = counters.flatMap((counter) => {
        const count = counts.find(({ key }) => key === keyOf(counter));
        const isUsedUp = count !== undefined && count.points >= limits[counter.limit];
        return isUsedUp ? [Number(count.expire) - now.getTime()] : [];
      });
      if (waitsMs.length > 0) throw tooMany(Math.max(...waitsMs));

      // Raise narrow counters first. If a wider one refuses, these are undone; nobody loses an attempt, since the wider limit refuses
      // all who share them.
      for (const [index, counter] of counters.entries()) {
        try {
          await limiters[counter.limit].consume(keyOf(counter));
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          await takeBack(counters.slice(0, index + 1));
          throw tooMany(refusal.msBeforeNext);
        }
      }
    },

    async refundAttempt({ own, shared }: Counters): Promise<void> {
      await Promise.all([limiters[own.limit].delete(keyOf(own)), takeBack(shared)]);
    },
  };
}
