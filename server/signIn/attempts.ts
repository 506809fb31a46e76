import { createHmac, type KeyObject } from 'node:crypto';
import type { Query } from '../database/database.ts';
import { Prisma } from '../generated/prisma/client.ts';

/** So many attempts within one window, which begins with the first of them. */
export type Limit = { maxAttempts: number; windowMs: number };

/** A limit for somebody: what `subject` says is never stored, only a keyed hash of it. */
export type Counted = { limit: Limit; subject: readonly string[] };

/** An account as a sign-in reads it. */
export type SignInAccount = {
  id: string;
  company: string;
  passwordHash: string;
  disabled: boolean;
  credentialsVersion: number;
};

/** By what whoever signs in is counted: limits of their own, which a success clears, and limits that they share. */
export type Counts = { own: Counted; shared: readonly Counted[] };

/** What counts instead in a browser that is known for an account, when the username is that account's. */
export type BrowserCounts = Counts & { accountId: string; credentialsVersion: number };

export type Begun = {
  /** Null when no account goes by the username. */
  account: SignInAccount | null;
  /** Whether it was the browser's limits that counted. */
  isKnown: boolean;
  /** Null when the attempt may go on, otherwise when the limits open again. */
  opensAt: Date | null;
};

export type AttemptCounts = {
  /**
   * Reads the account and counts one attempt against every limit at once, in one round trip, exactly however many are
   * counted at the same time and on however many instances. An attempt that comes when a limit is used up is not counted
   * against the others.
   */
  begin(username: string, stranger: Counts, browser: BrowserCounts | null): Promise<Begun>;
  /** After a success: resets `own` and takes this attempt back from `shared`. */
  refundAttempt(counts: Counts): Promise<void>;
};

/** Counts of attempts, kept in the database alone. */
export function createAttemptCounts(query: Query, key: KeyObject, clock: () => Date): AttemptCounts {
  // JSON begins with a bracket and no JWT does, so no such hash is ever the signature of a session.
  const hashOf = ({ subject }: Counted) => createHmac('sha256', key).update(JSON.stringify(subject)).digest();
  return {
    async begin(username, stranger, browser) {
      const now = clock();
      const rowOf = (one: Counted, ofKnown: boolean) => {
        const expiresAt = new Date(now.getTime() + one.limit.windowMs);
        return Prisma.sql`(${ofKnown}::boolean, ${hashOf(one)}::bytea, ${one.limit.maxAttempts}::integer, ${expiresAt}::timestamptz)`;
      };
      const rows = [
        ...allOf(stranger).map((one) => rowOf(one, false)),
        ...(browser === null ? [] : allOf(browser)).map((one) => rowOf(one, true)),
      ];
      // Taking the rows in one order keeps parallel statements from waiting for each other in a circle.
      const [begun] = await query<Nullable<SignInAccount> & Omit<Begun, 'account'>>(Prisma.sql`
        WITH account AS (
          SELECT id, company, password_hash, disabled, credentials_version FROM accounts WHERE username = ${username}
        ),
        known AS (SELECT EXISTS (SELECT FROM account 
            WHERE id = ${browser?.accountId ?? null} AND credentials_version = ${browser?.credentialsVersion ?? null}) AS is_known),
        attempt AS (
          SELECT key, max_attempts, expires_at
          FROM (VALUES ${Prisma.join(rows)}) AS counted (is_known, key, max_attempts, expires_at)
          JOIN known USING (is_known)
        ),
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
        ),
        refusal AS (
          SELECT expires_at FROM used_up
          UNION ALL
          SELECT counted.expires_at FROM counted JOIN attempt USING (key) WHERE counted.attempts > attempt.max_attempts
        )
        SELECT id, company, password_hash AS "passwordHash", disabled,
          credentials_version AS "credentialsVersion", is_known AS "isKnown",
          (SELECT max(expires_at) FROM refusal) AS "opensAt"
        FROM known LEFT JOIN account ON true`);
      if (begun === undefined) throw new Error('The attempt was not counted');
      const { isKnown, opensAt, ...account } = begun;
      return { account: isFound(account) ? account : null, isKnown, opensAt };
    },

    async refundAttempt(counts) {
      const ownKey = hashOf(counts.own);
      // The same order as above, for the same reason.
      await query(Prisma.sql`
        WITH forgiven AS (
          SELECT key FROM sign_in_counts WHERE key IN (${Prisma.join(allOf(counts).map(hashOf))})
          ORDER BY key FOR UPDATE
        )
        UPDATE sign_in_counts AS count SET
          attempts = count.attempts - 1,
          expires_at = CASE WHEN count.key = ${ownKey} THEN ${clock()}::timestamptz ELSE count.expires_at END
        FROM forgiven WHERE count.key = forgiven.key`);
    },
  };
}

function allOf({ own, shared }: Counts): Counted[] {
  return [own, ...shared];
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

function isFound(account: Nullable<SignInAccount>): account is SignInAccount {
  return account.id !== null;
}
