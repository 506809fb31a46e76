import { createHmac, type KeyObject } from 'node:crypto';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

/** So many attempts within one window, which begins with the first of them. */
export type Limit = { maxAttempts: number; windowMs: number };

/** A limit for somebody: what `subject` says is never stored, only a keyed hash of it. */
export type Counted = { limit: Limit; subject: readonly string[] };

export type AttemptCounts = {
  /**
   * Counts one attempt against every limit at once, in one round trip, exactly however many are counted at the same
   * time and on however many instances. An attempt that comes when a limit is used up is not counted against the others.
   * @returns null when the attempt may go on, otherwise when the limits open again
   */
  count(counted: readonly Counted[]): Promise<Date | null>;
  /** After a success: forgets what was counted for `own`, and takes this one attempt back from what others share. */
  forgive(own: Counted, shared: readonly Counted[]): Promise<void>;
};

/** Counts of attempts, kept in the database alone. */
export function createAttemptCounts(prisma: PrismaClient, key: KeyObject, clock: () => Date): AttemptCounts {
  // JSON begins with a bracket and no JWT does, so no such hash is ever the signature of a session.
  const hashOf = ({ subject }: Counted) => createHmac('sha256', key).update(JSON.stringify(subject)).digest();
  return {
    async count(counted) {
      const now = clock();
      const rows = counted.map((one) => {
        const expiresAt = new Date(now.getTime() + one.limit.windowMs);
        return Prisma.sql`(${hashOf(one)}::bytea, ${one.limit.maxAttempts}::integer, ${expiresAt}::timestamptz)`;
      });
      // Taking the rows in one order keeps parallel statements from waiting for each other in a circle.
      const [answer] = await prisma.$queryRaw<[{ opensAt: Date | null }]>`
        WITH attempt (key, max_attempts, expires_at) AS (VALUES ${Prisma.join(rows)}),
        used_up AS (
          SELECT count.expires_at FROM sign_in_counts AS count JOIN attempt USING (key)
          WHERE count.attempts >= attempt.max_attempts AND count.expires_at > ${now}::timestamptz
        ),
        counted AS (
          INSERT INTO sign_in_counts AS count (key, attempts, expires_at)
          SELECT key, 1, expires_at FROM attempt WHERE NOT EXISTS (SELECT FROM used_up) ORDER BY key
          ON CONFLICT (key) DO UPDATE SET
            attempts = CASE WHEN count.expires_at > ${now}::timestamptz THEN count.attempts + 1 ELSE 1 END,
            expires_at = CASE WHEN count.expires_at > ${now}::timestamptz THEN count.expires_at ELSE excluded.expires_at END
          RETURNING key, attempts, expires_at
        )
        SELECT max(expires_at) AS "opensAt" FROM (
          SELECT expires_at FROM used_up
          UNION ALL
          SELECT counted.expires_at FROM counted JOIN attempt USING (key) WHERE counted.attempts > attempt.max_attempts
        ) AS refusal`;
      return answer.opensAt;
    },

    async forgive(own, shared) {
      const now = clock();
      const ownKey = hashOf(own);
      // The same order as above, for the same reason.
      await prisma.$executeRaw`
        WITH forgiven AS (
          SELECT key FROM sign_in_counts WHERE key IN (${Prisma.join([ownKey, ...shared.map(hashOf)])})
          ORDER BY key FOR UPDATE
        )
        UPDATE sign_in_counts AS count SET
          attempts = count.attempts - 1,
          expires_at = CASE WHEN count.key = ${ownKey} THEN ${now}::timestamptz ELSE count.expires_at END
        FROM forgiven WHERE count.key = forgiven.key`;
    },
  };
}
