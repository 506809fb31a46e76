import { randomUUID } from 'node:crypto';
import { inOneQuery } from '../database/batched.ts';
import type { Database, Query } from '../database/database.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { readSessionToken, signSessionToken } from './sessionJwt.ts';
import type { SigningKeys } from './signedJwt.ts';

/** Who is signed in, and until when. */
export type Session = { id: string; company: string; expiry: Date };

/** The part of an account that a session is started from, as it stood when its password was checked. */
export type CheckedAccount = { id: string; company: string; passwordHash: string };

export type Sessions = {
  /**
   * Starts a session and, in the same step, ends the one of `replacedJwt` and does what is given `besides`, SQL that may
   * ask whether there is a row in `started`: all of it happens, or nothing.
   * @returns null, nothing having changed, when the account was disabled or its password changed since it was checked
   */
  start(
    account: CheckedAccount,
    replacedJwt?: string | null,
    besides?: Prisma.Sql,
  ): Promise<{ session: Session; jwt: string } | null>;
  /** The session of a JWT, null when it is not ours, ran out, was ended or its account is disabled. One round trip. */
  find(jwt: string): Promise<Session | null>;
  /**
   * Ends the session of a JWT on every instance; nothing happens when there is none.
   * @returns the id of the account that the JWT is of, null when it is not ours or ran out
   */
  end(jwt: string): Promise<string | null>;
};

const HOUR_MS = 3_600_000;

/** A working day: nobody has to sign in again during a match, and a forgotten studio computer is signed out overnight. */
export const SESSION_LIFETIME_MS = 12 * HOUR_MS;

const NOTHING_BESIDES = Prisma.sql`nothing AS (SELECT)`;

/** Sessions as signed JWTs that count only while their row stands in the database and says the same. */
export function createSessions(
  { prisma, query }: Pick<Database, 'prisma' | 'query'>,
  keys: SigningKeys,
  clock: () => Date,
): Sessions {
  const findRow = inOneQuery((ids: readonly string[]) => findRows(query, ids));
  return {
    async start(account, replacedJwt = null, besides = NOTHING_BESIDES) {
      const id = randomUUID();
      // JWTs count in whole seconds, and the row says just what the JWT says.
      const issuedAt = new Date(Math.floor(clock().getTime() / 1000) * 1000);
      const expiry = new Date(issuedAt.getTime() + SESSION_LIFETIME_MS);
      const replaced = replacedJwt === null ? null : readSessionToken(replacedJwt, keys, clock());
      // The lock makes a password change or disabling at this very moment come wholly before or wholly after.
      const started = await query(Prisma.sql`
        WITH started AS (
          INSERT INTO sessions (id, account_id, created_at, expires_at)
          SELECT ${id}::uuid, id, ${issuedAt}::timestamptz, ${expiry}::timestamptz FROM accounts
          WHERE id = ${account.id} AND password_hash = ${account.passwordHash} AND NOT disabled
          FOR SHARE
          RETURNING id
        ), ended AS (
          DELETE FROM sessions WHERE id = ${replaced?.id ?? null}::uuid AND EXISTS (SELECT FROM started)
        ), ${besides}
        SELECT id FROM started`);
      if (started.length === 0) return null;
      const session = { id: account.id, company: account.company, expiry };
      return { session, jwt: signSessionToken({ id, accountId: account.id, issuedAt, expiry }, keys) };
    },

    async find(jwt) {
      const claims = readSessionToken(jwt, keys, clock());
      if (claims === null) return null;
      const row = await findRow(claims.id);
      if (row === null || row.accountId !== claims.accountId) return null;
      if (row.createdAt.getTime() !== claims.issuedAt.getTime()) return null;
      if (row.expiresAt.getTime() !== claims.expiry.getTime()) return null;
      return { id: row.accountId, company: row.company, expiry: row.expiresAt };
    },

    async end(jwt) {
      const claims = readSessionToken(jwt, keys, clock());
      if (claims === null) return null;
      await prisma.session.deleteMany({ where: { id: claims.id } });
      return claims.accountId;
    },
  };
}

/** A session's row with what counts of its account, which is not disabled. */
type SessionRow = { id: string; accountId: string; company: string; createdAt: Date; expiresAt: Date };

/** In the order of their ids; null for one that does not stand in the database or whose account is disabled. */
async function findRows(query: Query, ids: readonly string[]): Promise<Array<SessionRow | null>> {
  const rows = await query<SessionRow>(Prisma.sql`
    SELECT s.id, a.id AS "accountId", a.company, s.created_at AS "createdAt", s.expires_at AS "expiresAt"
    FROM sessions s JOIN accounts a ON a.id = s.account_id AND NOT a.disabled
    WHERE s.id = ANY (${ids}::uuid[])`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}
