import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../shared/durations.ts';
import type { TokenClient, UnauthenticatedReason } from '../../shared/generated/schemaEnums.ts';
import { ACCOUNT_HEADER, accountHeaderOf, SESSION_HEADER, UNASKED_HEADER } from '../../shared/headers.ts';
import { type Caller, KEY_REFUSED, SESSION_ENDED } from '../accounts/caller.ts';
import { CodedError } from '../errors.ts';
import { addressOf } from '../http/ipAddress.ts';
import { isBearer } from '../http/wantsPage.ts';
import { isKey, keyFormFault } from '../keys/key.ts';
import type { KeyRequest } from '../keys/keySessions.ts';
import { addCallerToLog, type LogFields } from '../observing/requestLog.ts';
import type { Services } from '../services.ts';

export type RequestContext = {
  services: Services;
  log: FastifyBaseLogger;
  logFields: LogFields;
  jwt: string | null;
  key: string | null;
  client: TokenClient;
  /** True too when the request names no account (`shared/headers.ts`). */
  isMeantFor(accountId: string): boolean;
  /** The session that a sign-out is to end (`shared/headers.ts`); undefined when the request names none. */
  namedSession: string | undefined;
  /**
   * Finds the session or key of the request, once for each request; null if it sent none, or none that is valid.
   * @throws {CodedError} `UNAUTHENTICATED` when the request is meant for another account
   */
  caller(): Promise<Caller | null>;
  requireCaller(): Promise<Caller>;
  recordKeyUse(caller: Caller): Promise<void>;
  /** As `recordKeyUse`; also prolongs a browser's session, unless the page asked by itself (`shared/headers.ts`). */
  recordUse(caller: Caller): Promise<void>;
  address: string;
  deviceJwt: string | null;
  setSessionCookie(jwt: string, expiry: Date): void;
  setDeviceCookie(jwt: string, expiry: Date): void;
};

const OTHER_ACCOUNT = `The session is of another account than the one that ${ACCOUNT_HEADER} names`;

/** Not verified yet; at least one of `jwt` and `key` is null. */
type SentCredentials = { jwt: string | null; key: string | null; client: TokenClient };

const BEARER = /^Bearer\b(?: +(\S+) *$)?/i;

const BEARER_HEADER = '"authorization: Bearer <jwt>", with the jwt of login or a key';

export function createRequestContext(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  const { cookies } = services;
  const { authorization } = request.headers;
  const cookie = cookies.session.read(request);
  const { jwt, key, client } = sentCredentials(authorization, cookie);
  const address = addressOf(request);
  const meantFor = request.headers[ACCOUNT_HEADER];
  const isMeantFor = (accountId: string) => meantFor === undefined || meantFor === accountHeaderOf(accountId);
  const namedSession = request.headers[SESSION_HEADER]?.toString();
  let callerOnce: Promise<Caller | null> | undefined;
  let keyUseOnce: Promise<void> | undefined;
  const findAndRecord = async () => {
    const current = await findCaller(services, { jwt, key, from: { address, log: request.log } });
    if (current === null) return null;
    addCallerToLog(request, current);
    await services.sessions.markCookieSent(current);
    if (!isMeantFor(current.accountId)) {
      throw new CodedError('UNAUTHENTICATED', OTHER_ACCOUNT, { reason: 'OTHER_ACCOUNT' });
    }
    if (client === 'BROWSER') reply.header(SESSION_HEADER, current.id);
    return current;
  };
  const caller = () => {
    callerOnce ??= findAndRecord();
    return callerOnce;
  };
  const recordKeyUse = (current: Caller) => {
    keyUseOnce ??= services.keySessions.recordUse(current);
    return keyUseOnce;
  };
  const secondsUntil = (expiry: Date) =>
    Math.round((expiry.getTime() - services.clock().getTime()) / SECOND_MS);
  return {
    services,
    log: request.log,
    logFields: request.logFields,
    jwt,
    key,
    client,
    isMeantFor,
    namedSession,
    caller,
    async requireCaller() {
      const current = await caller();
      if (current !== null) return current;
      // A proxy with a sign-in of its own may have added its token to a browser's request.
      if (client === 'TOOL' && cookie !== null) request.logFields.ignored = 'session cookie';
      const { reason, message } = unauthenticatedAdvice(authorization, { jwt, key });
      throw new CodedError('UNAUTHENTICATED', message, { reason });
    },
    recordKeyUse,
    async recordUse(current) {
      await recordKeyUse(current);
      if (request.headers[UNASKED_HEADER] === undefined) await services.sessions.recordUse(current);
    },
    address,
    deviceJwt: cookies.device.read(request),
    setSessionCookie: (newJwt, expiry) => cookies.session.set(request, reply, newJwt, secondsUntil(expiry)),
    setDeviceCookie: (newJwt, expiry) => cookies.device.set(request, reply, newJwt, secondsUntil(expiry)),
  };
}

export function sentCredentials(authorization: string | undefined, cookie: string | null): SentCredentials {
  const bearer = BEARER.exec(authorization ?? '');
  if (bearer === null) return { jwt: cookie, key: null, client: 'BROWSER' };
  const [, sent = null] = bearer;
  if (sent !== null && isKey(sent)) return { jwt: null, key: sent, client: 'TOOL' };
  return { jwt: sent, key: null, client: 'TOOL' };
}

export function unauthenticatedAdvice(
  authorization: string | undefined,
  { jwt, key }: Pick<SentCredentials, 'jwt' | 'key'>,
): { reason: UnauthenticatedReason; message: string } {
  if (key !== null) {
    const { reason, message } = KEY_REFUSED;
    return { reason, message: keyFormFault(key, 'TOOL') ?? message };
  }
  if (jwt !== null && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) return SESSION_ENDED;
  return { reason: 'NO_CREDENTIALS', message: howToSend(authorization) };
}

async function findCaller(
  { sessions, keySessions }: Services,
  { jwt, key, from }: { jwt: string | null; key: string | null; from: KeyRequest },
): Promise<Caller | null> {
  if (key !== null) return keySessions.find('TOOL', key, from);
  return jwt === null ? null : sessions.find(jwt, from.log);
}

function howToSend(authorization: string | undefined): string {
  if (authorization === undefined) return `Sign in first, and send ${BEARER_HEADER}`;
  if (isBearer(authorization)) return `Send nothing but the jwt after the word Bearer: ${BEARER_HEADER}`;
  if (authorization.includes(' ')) return `Sign in first; only Bearer is accepted: send ${BEARER_HEADER}`;
  return `The word Bearer is missing: send ${BEARER_HEADER}`;
}
