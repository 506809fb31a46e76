import { randomUUID } from 'node:crypto';
import { batched } from '../database/batched.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { readJwt, type SigningKeys, signJwt } from './signedJwt.ts';

export type Session = {
  /** Of the row of the session or key. */
  id: string;
  accountId: string;
  company: string;
  expiry: Date;
  /** The name of the key; null for a session JWT. */
  keyName: string | null;
};

/** What a caller is told whose session has ended, or whose key is refused. */
export const SESSION_ENDED = {
  reason: 'SESSION_ENDED',
  message: 'The session has ended: sign in again',
} as const;
export const KEY_REFUSED = {
  reason: 'KEY_REFUSED',
  message:
    'The key is not one for the API, has expired, was revoked or is bound to another network: ask the operator for another',
} as const;

/**
 * Read `credentialsVersion` and the password hash in one query; otherwise a password change in between might not end this session.
 */
export type CheckedAccount = { id: string; company: string; credentialsVersion: number };

export type Sessions = ReturnType<typeof createSessions>;

const AUDIENCE = 'audio-oficial-premium/graphql';
const HOUR_MS = 3_600_000;

/** A working day: nobody has to sign in again during a match, and a forgotten studio computer is signed out overnight. */
export const SESSION_LIFETIME_MS = 12 * HOUR_MS;

/** Sessions are signed JWTs that count while their row exists and agrees with the account (docs/decisions/0002-sessions.md). */
export function createSessions(prisma: PrismaClient, keys: SigningKeys, clock: () => Date) {
  const findRow = batched(async (ids: readonly string[]) => {
    const rows = await prisma.session.findMany({
      where: { id: { in: [...ids] } },
      include: { account: { select: { company: true, disabled: true, credentialsVersion: true } } },
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
  const readClaims = (jwt: string) => readJwt(AUDIENCE, jwt, keys, clock());

  return {
    /**
     * Starts a session and ends the one of `replacedJwt`, both or neither. The session is invalid from the start if
     * the account was disabled or given another password since it was read.
     */
    async start(
      { id: accountId, company, credentialsVersion }: CheckedAccount,
      replacedJwt: string | null = null,
    ): Promise<{ session: Session; jwt: string }> {
      const id = randomUUID();
      // JWTs count in whole seconds, and the row holds exactly what the JWT says.
      const issuedAt = new Date(Math.floor(clock().getTime() / 1000) * 1000);
      const expiry = new Date(issuedAt.getTime() + SESSION_LIFETIME_MS);
      const replaced = replacedJwt === null ? null : readClaims(replacedJwt);
      const create = prisma.session.create({
        data: { id, accountId, credentialsVersion, createdAt: issuedAt, expiresAt: expiry },
      });
      if (replaced === null) await create;
      else await prisma.$transaction([create, prisma.session.deleteMany({ where: { id: replaced.id } })]);
      const jwt = signJwt(AUDIENCE, { id, accountId, issuedAt, expiry }, keys);
      return { session: { id, accountId, company, expiry, keyName: null }, jwt };
    },

    async find(jwt: string): Promise<Session | null> {
      const claims = readClaims(jwt);
      if (claims === null) return null;
      const row = await findRow(claims.id);
      if (row === null || row.accountId !== claims.accountId) return null;
      if (row.createdAt.getTime() !== claims.issuedAt.getTime()) return null;
      if (row.expiresAt.getTime() !== claims.expiry.getTime()) return null;
      const { company, disabled, credentialsVersion } = row.account;
      if (disabled || row.credentialsVersion !== credentialsVersion) return null;
      return { id: row.id, accountId: row.accountId, company, expiry: row.expiresAt, keyName: null };
    },

    /**
     * Ends the session of a JWT on every instance, if there is one.
     * @returns the id of the JWT's account, null when the JWT is not ours, expired or refused by `isMeant`
     */
    async end(jwt: string, isMeant: (accountId: string) => boolean): Promise<string | null> {
      const claims = readClaims(jwt);
      if (claims === null || !isMeant(claims.accountId)) return null;
      await prisma.session.deleteMany({ where: { id: claims.id } });
      return claims.accountId;
    },
  };
}
