import { randomUUID } from 'node:crypto';
import { batched } from '../database/batched.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { type ExpiryLog, isOpen } from './accountValidity.ts';
import { type JwtClaims, readJwt, type SigningKeys, signJwt } from './signedJwt.ts';

export type Session = {
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** Null for a session JWT. `lastUsed` is before this request, to the minute. */
  key: { name: string; expiry: Date; lastUsed: Date | null } | null;
  lastUsedAt?: Date | null;
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
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const TOOL_SESSION_LIFETIME_MS = 12 * HOUR_MS;
const BROWSER_SESSION_LIFETIME_MS = 30 * DAY_MS;
const BROWSER_SESSION_IDLE_MS = 7 * DAY_MS;
const MAX_SESSIONS = 50;

const USE_NOTED_EVERY_MS = HOUR_MS;

/** The session of one sign-in as two JWTs: one for a tool, from the payload, the other for a browser's cookie. */
export type StartedSession = { session: Session; jwt: string; cookie: { jwt: string; expiry: Date } };

/** A session's JWT is valid while its row exists and agrees with the account (docs/decisions/0002-sessions.md). */
export function createSessions(prisma: PrismaClient, keys: SigningKeys, clock: () => Date) {
  const findRow = batched(async (ids: readonly string[]) => {
    const rows = await prisma.session.findMany({
      where: { id: { in: [...ids] } },
      include: {
        account: {
          select: { id: true, company: true, disabled: true, validUntil: true, credentialsVersion: true },
        },
      },
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
  const readClaims = (jwt: string) => readJwt(AUDIENCE, jwt, keys, clock());

  return {
    /**
     * Starts a session and ends the one of `replacedJwt`, both or neither, and the oldest beyond `MAX_SESSIONS`. The
     * session is invalid from the start if the account was disabled or given another password since it was read.
     */
    async start(
      { id: accountId, company, credentialsVersion }: CheckedAccount,
      replacedJwt: string | null = null,
    ): Promise<StartedSession> {
      const [id, cookieId] = [randomUUID(), randomUUID()];
      // JWTs count in whole seconds, and the rows hold exactly what the JWTs say.
      const issuedAt = new Date(Math.floor(clock().getTime() / 1000) * 1000);
      const expiry = new Date(issuedAt.getTime() + TOOL_SESSION_LIFETIME_MS);
      const cookieExpiry = new Date(issuedAt.getTime() + BROWSER_SESSION_LIFETIME_MS);
      const replaced = replacedJwt === null ? null : readClaims(replacedJwt);
      // The rows of this statement are not among those that it deletes.
      await prisma.$executeRaw`
        WITH ended AS (
          DELETE FROM sessions WHERE id = ANY (${replaced === null ? [] : rowIdsOf(replaced)}::uuid[])
        ),
        too_many AS (
          DELETE FROM sessions WHERE id IN (
            SELECT id FROM (
              SELECT id, row_number() OVER (PARTITION BY last_used_at IS NULL ORDER BY created_at DESC) AS place
              FROM sessions WHERE account_id = ${accountId}
            ) AS placed WHERE place >= ${MAX_SESSIONS}
          )
        ),
        signed_in AS (
          UPDATE accounts SET last_sign_in_at = ${issuedAt} WHERE id = ${accountId}
        )
        INSERT INTO sessions (id, account_id, credentials_version, created_at, expires_at, last_used_at) VALUES
          (${id}::uuid, ${accountId}, ${credentialsVersion}, ${issuedAt}, ${expiry}, NULL),
          (${cookieId}::uuid, ${accountId}, ${credentialsVersion}, ${issuedAt}, ${cookieExpiry}, ${issuedAt})`;
      const sign = (claims: { id: string; twinId: string; expiry: Date }) =>
        signJwt(AUDIENCE, { accountId, issuedAt, ...claims }, keys);
      return {
        session: { id, accountId, company, expiry, key: null },
        jwt: sign({ id, twinId: cookieId, expiry }),
        cookie: { jwt: sign({ id: cookieId, twinId: id, expiry: cookieExpiry }), expiry: cookieExpiry },
      };
    },

    async find(jwt: string, log?: ExpiryLog): Promise<Session | null> {
      const claims = readClaims(jwt);
      if (claims === null) return null;
      const row = await findRow(claims.id);
      if (row === null || row.accountId !== claims.accountId) return null;
      if (row.createdAt.getTime() !== claims.issuedAt.getTime()) return null;
      if (row.expiresAt.getTime() !== claims.expiry.getTime()) return null;
      if (ageMs(row.lastUsedAt) >= BROWSER_SESSION_IDLE_MS) return null;
      const { company, credentialsVersion } = row.account;
      if (row.credentialsVersion !== credentialsVersion || !isOpen(row.account, clock(), log)) return null;
      const { id, accountId, expiresAt: expiry, lastUsedAt } = row;
      return { id, accountId, company, expiry, lastUsedAt, key: null };
    },

    async noteUse({ id, lastUsedAt = null }: Session): Promise<void> {
      if (ageMs(lastUsedAt) < USE_NOTED_EVERY_MS) return;
      await prisma.session.updateMany({ where: { id }, data: { lastUsedAt: clock() } });
    },

    /**
     * Ends the session of a JWT, and of the other JWT of its sign-in, on every instance, if there is one.
     * @returns the id of the JWT's account, null when the JWT is not ours, expired or refused by `isMeant`
     */
    async end(jwt: string, isMeant: (accountId: string) => boolean): Promise<string | null> {
      const claims = readClaims(jwt);
      if (claims === null || !isMeant(claims.accountId)) return null;
      await prisma.session.deleteMany({ where: { id: { in: rowIdsOf(claims) } } });
      return claims.accountId;
    },
  };

  function ageMs(lastUsedAt: Date | null): number {
    return lastUsedAt === null ? 0 : clock().getTime() - lastUsedAt.getTime();
  }
}

/** Selects the rows that `find` accepts while the account is open. Those of one sign-in have the same `createdAt`. */
export function validSessionsOf(
  { id, credentialsVersion }: Pick<CheckedAccount, 'id' | 'credentialsVersion'>,
  now: Date,
): Prisma.SessionWhereInput {
  const usedSince = new Date(now.getTime() - BROWSER_SESSION_IDLE_MS);
  return {
    accountId: id,
    credentialsVersion,
    expiresAt: { gt: now },
    OR: [{ lastUsedAt: null }, { lastUsedAt: { gt: usedSince } }],
  };
}

function rowIdsOf({ id, twinId }: JwtClaims): string[] {
  return twinId === undefined ? [id] : [id, twinId];
}
