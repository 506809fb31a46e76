import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../shared/durations.ts';
import { ACCOUNT_STATE, type AccountState, type ExpiryLog, isOpen } from '../accounts/accountState.ts';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import type { Prisma, PrismaClient, Session as StoredSession } from '../generated/prisma/client.ts';
import { type JwtClaims, type JwtSecrets, readJwt, signJwt } from './signedJwt.ts';

export type Session = {
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session JWT. `lastUsed` is before this request, to the minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  /** The time to note in a browser's row when its session is used now; null when a use was noted lately. */
  useToNote?: Date | null;
};

export const SESSION_ENDED = {
  reason: 'SESSION_ENDED',
  message: 'The session has ended: sign in again',
} as const;
export const KEY_REFUSED = {
  reason: 'KEY_REFUSED',
  message:
    'The key is not one for the API, has expired, was revoked or is bound to another network, or its account is disabled or has ended: ask the operator',
} as const;

/**
 * Read `credentialsVersion` and the password hash in one query; otherwise a password change in between might not end
 * this session.
 */
export type CheckedAccount = { id: string; company: string; credentialsVersion: number };

export type Sessions = ReturnType<typeof createSessions>;

const AUDIENCE = 'audio-oficial-premium/graphql';

export const TOOL_SESSION_LIFETIME_MS = 12 * HOUR_MS;
const BROWSER_SESSION_LIFETIME_MS = 30 * DAY_MS;
const BROWSER_SESSION_IDLE_MS = 7 * DAY_MS;
const MAX_SESSIONS = 50;

const USE_NOTED_EVERY_MS = HOUR_MS;

/** The session of one sign-in as two JWTs: one for a tool, from the payload, the other for a browser's cookie. */
export type StartedSession = { session: Session; jwt: string; cookie: { jwt: string; expiry: Date } };

type SessionRow = Pick<StoredSession, 'id' | 'accountId' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> & {
  company: string;
  state: AccountState;
};

/** A session's JWT is valid while its row exists and agrees with the account (docs/decisions/0002-sessions.md). */
export function createSessions(prisma: PrismaClient, secrets: JwtSecrets, clock: () => Date) {
  const findRow = batched(async (ids: readonly string[]) => {
    const rows = await prisma.$queryRaw<SessionRow[]>`
      SELECT sessions.id, account_id AS "accountId", company, ${ACCOUNT_STATE} AS state,
        sessions.created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"
      FROM sessions JOIN accounts ON accounts.id = account_id
      WHERE sessions.id = ANY (${ids}::uuid[]) AND sessions.credentials_version = accounts.credentials_version`;
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
  const readClaims = (jwt: string, now: Date | null) => readJwt(AUDIENCE, jwt, secrets, now);

  return {
    /**
     * Starts a session and ends the one of `replacedJwt`, both or neither. Of more than `MAX_SESSIONS` it ends first
     * those that are no longer valid, then those never used since their sign-in, then the one unused longest. The session is
     * invalid from the start if the account was disabled or given another password since it was read.
     */
    async start(
      { id: accountId, company, credentialsVersion }: CheckedAccount,
      replacedJwt: string | null = null,
    ): Promise<StartedSession> {
      const [id, cookieId] = [randomUUID(), randomUUID()];
      const now = clock();
      const signInId = newRecordId(now);
      // JWTs count in whole seconds, and the rows hold exactly what the JWTs say.
      const issuedAt = new Date(Math.floor(now.getTime() / SECOND_MS) * SECOND_MS);
      const expiry = new Date(issuedAt.getTime() + TOOL_SESSION_LIFETIME_MS);
      const cookieExpiry = new Date(issuedAt.getTime() + BROWSER_SESSION_LIFETIME_MS);
      const replaced = replacedJwt === null ? null : readClaims(replacedJwt, null);
      const replacedIds = replaced === null ? [] : rowIdsOf(replaced);
      // Updates the account first: its lock keeps two sign-ins from deleting the same rows in different order. The new
      // rows are not among those that this statement counts.
      await prisma.$executeRaw`
        WITH signed_in AS (
          UPDATE accounts SET last_sign_in_at = ${issuedAt} WHERE id = ${accountId} RETURNING credentials_version
        ),
        others AS (
          SELECT array_agg(id) AS ids, row_number() OVER (
            ORDER BY
              bool_or(
                expires_at > ${now} AND COALESCE(last_used_at > ${idleSince(now)}, true)
                AND sessions.credentials_version IS NOT DISTINCT FROM signed_in.credentials_version
              ) DESC,
              COALESCE(bool_or(last_used_at <> created_at), false) DESC,
              max(COALESCE(last_used_at, created_at)) DESC,
              sign_in_id DESC
          ) AS place
          FROM sessions, signed_in WHERE account_id = ${accountId} AND id <> ALL (${replacedIds}::uuid[])
          GROUP BY sign_in_id, CASE WHEN sign_in_id IS NULL THEN created_at END
        ),
        ended AS (
          DELETE FROM sessions WHERE id IN (
            SELECT unnest(ids) FROM others WHERE place >= ${MAX_SESSIONS}
            UNION ALL SELECT unnest(${replacedIds}::uuid[])
          )
        )
        INSERT INTO sessions
          (id, account_id, sign_in_id, credentials_version, created_at, expires_at, last_used_at)
        VALUES
          (${id}::uuid, ${accountId}, ${signInId}::uuid, ${credentialsVersion}, ${issuedAt}, ${expiry}, NULL),
          (${cookieId}::uuid, ${accountId}, ${signInId}::uuid, ${credentialsVersion}, ${issuedAt}, ${cookieExpiry},
            ${issuedAt})`;
      const sign = (claims: { id: string; twinId: string; expiry: Date }) =>
        signJwt(AUDIENCE, { accountId, issuedAt, ...claims }, secrets);
      return {
        session: { id, accountId, company, expiry, key: null },
        jwt: sign({ id, twinId: cookieId, expiry }),
        cookie: { jwt: sign({ id: cookieId, twinId: id, expiry: cookieExpiry }), expiry: cookieExpiry },
      };
    },

    async find(jwt: string, log?: ExpiryLog): Promise<Session | null> {
      const claims = readClaims(jwt, clock());
      if (claims === null) return null;
      const row = await findRow(claims.id);
      if (row === null || row.accountId !== claims.accountId) return null;
      if (row.createdAt.getTime() !== claims.issuedAt.getTime()) return null;
      if (row.expiresAt.getTime() !== claims.expiry.getTime()) return null;
      const { id, accountId, company, state, createdAt, expiresAt: expiry, lastUsedAt } = row;
      if (lastUsedAt !== null && lastUsedAt <= idleSince(clock())) return null;
      if (!isOpen({ id: accountId, state }, log)) return null;
      const useToNote = lastUsedAt && dueNoteOf({ createdAt, lastUsedAt }, clock());
      return { id, accountId, company, expiry, useToNote, key: null };
    },

    /** Notes the first use after a sign-in at once, later ones once an hour. Never rejects. */
    async noteUse({ id, useToNote: lastUsedAt = null }: Session): Promise<void> {
      if (lastUsedAt === null) return;
      await prisma.session.updateMany({ where: { id }, data: { lastUsedAt } }).catch(() => undefined);
    },

    /**
     * Ends the session of a JWT, and of the other JWT of its sign-in, on every instance, if there is one. The other one
     * may still be valid when this one has expired.
     * @returns the id of the JWT's account, null when the JWT is not ours; `isEnded`: false when `isMeant` refuses it
     */
    async end(
      jwt: string,
      isMeant: (claims: JwtClaims) => boolean,
    ): Promise<{ account: string | null; isEnded: boolean }> {
      const claims = readClaims(jwt, null);
      if (claims === null) return { account: null, isEnded: true };
      const isEnded = isMeant(claims);
      if (isEnded) await prisma.session.deleteMany({ where: { id: { in: rowIdsOf(claims) } } });
      return { account: claims.accountId, isEnded };
    },
  };
}

/** Returns a time other than `createdAt`: equal times in a row mean that its session was never used. */
function dueNoteOf({ createdAt, lastUsedAt }: { createdAt: Date; lastUsedAt: Date }, now: Date) {
  const isUnused = lastUsedAt.getTime() === createdAt.getTime();
  const isDue = isUnused || now.getTime() - lastUsedAt.getTime() >= USE_NOTED_EVERY_MS;
  return isDue ? new Date(Math.max(now.getTime(), createdAt.getTime() + 1)) : null;
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - BROWSER_SESSION_IDLE_MS);
}

/** Selects the rows that `find` accepts while the account is open. Those of one sign-in have the same `createdAt`. */
export function validSessionsOf(
  { id, credentialsVersion }: Pick<CheckedAccount, 'id' | 'credentialsVersion'>,
  now: Date,
): Prisma.SessionWhereInput {
  return {
    accountId: id,
    credentialsVersion,
    expiresAt: { gt: now },
    OR: [{ lastUsedAt: null }, { lastUsedAt: { gt: idleSince(now) } }],
  };
}

function rowIdsOf({ id, twinId }: JwtClaims): string[] {
  return twinId === undefined ? [id] : [id, twinId];
}
