import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../shared/durations.ts';
import type { TokenClient } from '../../shared/generated/schemaEnums.ts';
import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER, UNASKED_HEADER } from '../../shared/headers.ts';
import { CodedError } from '../errors.ts';
import { addressOf } from '../http/ipAddress.ts';
import type { KeyCaller } from '../keys/keySessions.ts';
import { noteSession, type RequestFacts } from '../observing/requestLog.ts';
import type { Services } from '../services.ts';
import { deviceCookie, sessionCookie } from '../signIn/cookies.ts';
import type { Session } from '../signIn/sessions.ts';
import { sentCredentials } from './sentCredentials.ts';
import { unauthenticatedAdvice } from './unauthenticatedAdvice.ts';

export type RequestContext = {
  services: Services;
  log: FastifyBaseLogger;
  facts: RequestFacts;
  jwt: string | null;
  key: string | null;
  callerKind: TokenClient;
  /** True too when the request names no account (`shared/headers.ts`). */
  isMeantFor(accountId: string): boolean;
  /** The session that a sign-out is to end (`shared/headers.ts`); undefined when the request names none. */
  namedSession: string | undefined;
  /**
   * Returns the session of the JWT or key, or null; queries the database once for each request, and notes the use of a
   * key. Throws `UNAUTHENTICATED` when the request is meant for another account.
   */
  session(): Promise<Session | null>;
  requireSession(): Promise<Session>;
  /** As `requireSession`, but does not note a use of the key. */
  requireSessionUnused(): Promise<Session>;
  /** As `requireSession`; prolongs the session unless the page asked by itself (shared/headers.ts). */
  useSession(): Promise<Session>;
  address: string;
  deviceJwt: string | null;
  setSessionCookie(jwt: string, expiry: Date): void;
  setDeviceCookie(jwt: string, expiry: Date): void;
};

const OTHER_ACCOUNT = `The session is of another account than the one that ${ACCOUNT_HEADER} names`;

export function createRequestContext(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  const { jwt, key, callerKind } = sentCredentials(request);
  const address = addressOf(request);
  const meantFor = request.headers[ACCOUNT_HEADER];
  const isMeantFor = (accountId: string) => meantFor === undefined || meantFor === accountHeaderOf(accountId);
  const namedSession = request.headers[SESSION_HEADER]?.toString();
  let found: Promise<Session | null> | undefined;
  let used: Promise<Session | null> | undefined;
  const find = async () => {
    const current = await findSession(services, { jwt, key, caller: { address, log: request.log } });
    if (current === null) return null;
    noteSession(request, current);
    if (!isMeantFor(current.accountId)) {
      throw new CodedError('UNAUTHENTICATED', OTHER_ACCOUNT, { reason: 'OTHER_ACCOUNT' });
    }
    if (callerKind === 'BROWSER') reply.header(SESSION_HEADER, current.id);
    return current;
  };
  const look = () => {
    found ??= find();
    return found;
  };
  const use = async () => {
    const current = await look();
    if (current !== null) await services.keySessions.noteUse(current);
    return current;
  };
  const session = () => {
    used ??= use();
    return used;
  };
  const secondsUntil = (expiry: Date) =>
    Math.round((expiry.getTime() - services.clock().getTime()) / SECOND_MS);
  const required = (current: Session | null) => {
    if (current !== null) return current;
    const { reason, message } = unauthenticatedAdvice(request.headers.authorization, { jwt, key });
    throw new CodedError('UNAUTHENTICATED', message, { reason });
  };
  const requireSession = async () => required(await session());
  return {
    services,
    log: request.log,
    facts: request.facts,
    jwt,
    key,
    callerKind,
    isMeantFor,
    namedSession,
    session,
    requireSession,
    requireSessionUnused: async () => required(await look()),
    async useSession() {
      const current = await requireSession();
      if (request.headers[UNASKED_HEADER] === undefined) await services.sessions.noteUse(current);
      return current;
    },
    address,
    deviceJwt: deviceCookie.read(request),
    setSessionCookie: (newJwt, expiry) => sessionCookie.set(request, reply, newJwt, secondsUntil(expiry)),
    setDeviceCookie: (newJwt, expiry) => deviceCookie.set(request, reply, newJwt, secondsUntil(expiry)),
  };
}

async function findSession(
  { sessions, keySessions }: Services,
  { jwt, key, caller }: { jwt: string | null; key: string | null; caller: KeyCaller },
): Promise<Session | null> {
  if (key !== null) return keySessions.find('TOOL', key, caller);
  return jwt === null ? null : sessions.find(jwt, caller.log);
}
