import { INVALID_CREDENTIALS_MESSAGE } from '../../shared/credentialRules.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../shared/durations.ts';
import { type ExpiryLog, isOpenElseLog, lockAccount } from '../accounts/accountState.ts';
import type { Caller } from '../accounts/caller.ts';
import { batched } from '../database/batched.ts';
import { newRecordId } from '../database/recordId.ts';
import { CodedError } from '../errors.ts';
import type { Account, PrismaClient, Session as StoredSession } from '../generated/prisma/client.ts';
import { AUDIENCES, type JwtClaims, type JwtSecrets, readJwt, signJwt } from './signedJwt.ts';

/**
 * Read `credentialsVersion` and the password hash in one query; otherwise a password change in between might not end
 * this session.
 */
type CheckedAccount = { id: string; company: string; credentialsVersion: number };

export type Sessions = ReturnType<typeof createSessions>;

export const TOOL_SESSION_LIFETIME_MS = 12 * HOUR_MS;
const BROWSER_SESSION_LIFETIME_MS = 30 * DAY_MS;
const USE_RECORDED_EVERY_MS = HOUR_MS;
/** 14 days after the last use, which may be up to an hour later than the recorded one. */
const BROWSER_SESSION_IDLE_MS = 14 * DAY_MS + USE_RECORDED_EVERY_MS;
export const MAX_SESSIONS = 50;

/** The session of one sign-in with its two JWTs: `jwt` in the payload, for a tool; `cookie` for a browser. */
export type StartedSession = { session: Caller; jwt: string; cookie: { jwt: string; expiry: Date } };

/** `lastUsedAt` equals `createdAt` until the session's first use in a browser. */
type SessionTimes = Pick<StoredSession, 'createdAt' | 'expiresAt' | 'lastUsedAt'>;
type SessionRow = Pick<StoredSession, 'id' | 'credentialsVersion' | 'cookieSent'> & SessionTimes;

/** A session's JWT is valid while its row exists and agrees with the account (docs/decisions/0002-sessions.md). */
export function createSessions(prisma: PrismaClient, secrets: JwtSecrets, clock: () => Date) {
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
  const readClaims = (jwt: string, now: Date | null) => readJwt(AUDIENCES.session, jwt, secrets, now);

  /** Waits for the lock of its transaction, which may still be at work. Never rejects. */
  async function deleteUnheard({ id, accountId }: { id: string; accountId: string }): Promise<void> {
    const deletion = prisma.$transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      await transaction.session.deleteMany({ where: { id } });
    });
    await deletion.catch(() => undefined);
  }

  return {
    /**
     * Starts a session and ends the one of `replacedJwt` and those beyond `MAX_SESSIONS`, all or nothing. The session is
     * invalid from the start if the account was disabled or given another password since it was read.
     * @throws {CodedError} `INVALID_CREDENTIALS` if the account was deleted since
     */
    async start(
      { id: accountId, company, credentialsVersion }: CheckedAccount,
      replacedJwt: string | null = null,
    ): Promise<StartedSession> {
      const now = clock();
      const id = newRecordId(now);
      // JWTs count in whole seconds, and the row holds exactly what the JWTs say.
      const issuedAt = new Date(Math.floor(now.getTime() / SECOND_MS) * SECOND_MS);
      const expiry = toolExpiry(issuedAt);
      const cookieExpiry = new Date(issuedAt.getTime() + BROWSER_SESSION_LIFETIME_MS);
      const replaced = replacedJwt === null ? null : readClaims(replacedJwt, null);
      let isWritten = false;
      try {
        await prisma.$transaction(async (transaction) => {
          // Locks the account too: two sign-ins to it could otherwise both keep the same sessions, or delete them in
          // different order. Raw SQL, since Prisma would set `updated_at`, which tells when an operator changed it.
          const [account] = await transaction.$queryRaw<[Pick<Account, 'credentialsVersion'>?]>`
            UPDATE public.accounts SET last_sign_in_at = ${issuedAt} WHERE id = ${accountId}
            RETURNING credentials_version AS "credentialsVersion"`;
          if (account === undefined) throw invalidCredentials();
          const others = await transaction.session.findMany({
            where: { accountId, ...(replaced && { id: { not: replaced.id } }) },
          });
          const ended = sessionsToEnd(others, account, now);
          if (replaced !== null) ended.push(replaced.id);
          if (ended.length > 0) await transaction.session.deleteMany({ where: { id: { in: ended } } });
          await transaction.session.create({
            data: {
              id,
              accountId,
              credentialsVersion,
              createdAt: issuedAt,
              expiresAt: cookieExpiry,
              lastUsedAt: issuedAt,
            },
          });
          isWritten = true;
        });
      } catch (error) {
        // PostgreSQL may have committed it, although its answer was lost.
        if (isWritten) await deleteUnheard({ id, accountId });
        throw error;
      }
      const sign = (isBrowser: boolean, until: Date) =>
        signJwt(AUDIENCES.session, { id, accountId, issuedAt, isBrowser, expiry: until }, secrets);
      return {
        session: { id, accountId, company, expiry, key: null },
        jwt: sign(false, expiry),
        cookie: { jwt: sign(true, cookieExpiry), expiry: cookieExpiry },
      };
    },

    async find(jwt: string, log?: ExpiryLog): Promise<Caller | null> {
      const claims = readClaims(jwt, clock());
      if (claims === null) return null;
      const row = await findRow(claims.id);
      const now = clock();
      if (row === null || row.accountId !== claims.accountId) return null;
      if (row.createdAt.getTime() !== claims.issuedAt.getTime()) return null;
      const { id, accountId, account } = row;
      const expiry = claims.isBrowser ? row.expiresAt : toolExpiry(row.createdAt);
      if (expiry.getTime() !== claims.expiry.getTime()) return null;
      if (!isValidSession(row, account, now) || !isOpenElseLog(account, now, log)) return null;
      // Uses by a tool are not recorded, so that a tool at work keeps no session longer than a browser in use.
      const browserUse = claims.isBrowser && {
        isFirstWithCookie: !wasCookieSent(row),
        lastUsedAtToRecord: nextLastUsedAt(row, now),
      };
      return {
        id,
        accountId,
        company: account.company,
        expiry,
        ...(browserUse && { browserUse }),
        key: null,
      };
    },

    /** Records that the browser sent its cookie, which prolongs nothing. Never rejects. */
    async markCookieSent({ id, browserUse }: Caller): Promise<void> {
      if (!browserUse?.isFirstWithCookie) return;
      await prisma.session.updateMany({ where: { id }, data: { cookieSent: true } }).catch(() => undefined);
    },

    /** Records the first use after a sign-in at once, later ones once an hour. Never rejects. */
    async recordUse({ id, browserUse }: Caller): Promise<void> {
      const lastUsedAt = browserUse?.lastUsedAtToRecord ?? null;
      if (lastUsedAt === null) return;
      await prisma.session.updateMany({ where: { id }, data: { lastUsedAt } }).catch(() => undefined);
    },

    /**
     * Ends the session of a JWT, for the browser and the tool, on every instance, if there is one. The browser's JWT may
     * still be valid when the tool's has expired.
     * @returns the id of the JWT's account, null when the JWT is not ours; `isEnded`: false when `isMeant` refuses it
     */
    async end(
      jwt: string,
      isMeant: (claims: JwtClaims) => boolean,
    ): Promise<{ account: string | null; isEnded: boolean }> {
      const claims = readClaims(jwt, null);
      if (claims === null) return { account: null, isEnded: true };
      const isEnded = isMeant(claims);
      if (isEnded) await prisma.session.deleteMany({ where: { id: claims.id } });
      return { account: claims.accountId, isEnded };
    },
  };
}

export function invalidCredentials(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', INVALID_CREDENTIALS_MESSAGE);
}

/** Does not ask whether the session's account is open. */
export function isValidSession(
  { credentialsVersion, expiresAt, lastUsedAt }: Omit<SessionRow, 'id' | 'cookieSent'>,
  account: Pick<Account, 'credentialsVersion'>,
  now: Date,
): boolean {
  const idleSince = now.getTime() - BROWSER_SESSION_IDLE_MS;
  return (
    credentialsVersion === account.credentialsVersion && expiresAt > now && lastUsedAt.getTime() > idleSince
  );
}

/** Returns when a valid session ends if nobody uses it again. It counts as a tool's until a browser sends its cookie. */
export function sessionEnd(session: SessionRow): Date {
  if (!wasCookieSent(session)) return toolExpiry(session.createdAt);
  return new Date(
    Math.min(session.expiresAt.getTime(), session.lastUsedAt.getTime() + BROWSER_SESSION_IDLE_MS),
  );
}

/** Release 2.0.1 did not store `cookieSent`: in its rows only a use shows that the cookie was sent. */
export function wasCookieSent({
  cookieSent,
  ...times
}: SessionTimes & Pick<StoredSession, 'cookieSent'>): boolean {
  return cookieSent || !isUnused(times);
}

export function isUnused({ createdAt, lastUsedAt }: SessionTimes): boolean {
  return lastUsedAt.getTime() === createdAt.getTime();
}

/**
 * Returns the ids of the sessions to end, so that a new one stays within `MAX_SESSIONS`. Invalid sessions go first,
 * then those whose cookie was never sent, then the longest unused.
 */
function sessionsToEnd(
  sessions: readonly SessionRow[],
  account: Pick<Account, 'credentialsVersion'>,
  now: Date,
): string[] {
  const rank = (session: SessionRow) =>
    !isValidSession(session, account, now) ? 0 : wasCookieSent(session) ? 2 : 1;
  return [...sessions]
    .sort(
      (one, other) =>
        rank(one) - rank(other) ||
        one.lastUsedAt.getTime() - other.lastUsedAt.getTime() ||
        // Ids begin with the time of the sign-in, to the millisecond.
        (one.id < other.id ? -1 : 1),
    )
    .slice(0, Math.max(0, sessions.length + 1 - MAX_SESSIONS))
    .map(({ id }) => id);
}

function nextLastUsedAt(times: SessionTimes, now: Date): Date | null {
  const { createdAt, lastUsedAt } = times;
  const isDue = isUnused(times) || now.getTime() - lastUsedAt.getTime() >= USE_RECORDED_EVERY_MS;
  // Later than `createdAt` even if the clock was set back: an equal time means that the session was never used.
  return isDue ? new Date(Math.max(now.getTime(), createdAt.getTime() + 1)) : null;
}

function toolExpiry(createdAt: Date): Date {
  return new Date(createdAt.getTime() + TOOL_SESSION_LIFETIME_MS);
}
