import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../errors.ts';
import { ipAddressOf } from '../http/ipAddress.ts';
import type { RequestFacts } from '../observing/requestLog.ts';
import { deviceCookie, sentSession, sessionCookie } from '../signIn/cookies.ts';
import type { Session, Sessions } from '../signIn/sessions.ts';
import type { SignIn } from '../signIn/signIn.ts';
import type { Stream } from '../streamTokens/createStreamToken.ts';
import type { StreamProvider } from '../streamTokens/provider.ts';
import type { TokenLedger } from '../streamTokens/tokenLedger.ts';
import type { LimitTokens } from '../streamTokens/tokenLimits.ts';
import { signInAdvice } from './signInAdvice.ts';

/** The name of an unknown address in a proxy's header (RFC 7239, 6.2), used also once the caller is gone. */
const UNKNOWN_ADDRESS = 'unknown';

/** The dependencies of the use cases, some of them replaced in tests. */
export type Services = {
  signIn: SignIn;
  sessions: Sessions;
  provider: StreamProvider;
  stream: Stream;
  ledger: TokenLedger;
  limitTokens: LimitTokens;
  clock: () => Date;
};

/** The context that each resolver is given: the services and facts about the caller. */
export type RequestContext = {
  services: Services;
  /** Writes the request's id on every line. */
  log: FastifyBaseLogger;
  /** Adds facts to the request's line in the log. */
  note(facts: RequestFacts): void;
  /** The session JWT as sent, not verified yet. */
  jwt: string | null;
  /** `BROWSER` for a JWT in a cookie, `TOOL` for one in `Authorization`. */
  client: 'BROWSER' | 'TOOL';
  /** Returns the JWT's session, or null; asks the database once a request. */
  session(): Promise<Session | null>;
  /** Returns the session or throws `UNAUTHENTICATED`. */
  requireSession(): Promise<Session>;
  /** The caller's IP address, past the proxies of `TRUST_PROXY`; `unknown` if a proxy sent no address. */
  address: string;
  /** The device cookie as sent, not verified yet. */
  deviceJwt: string | null;
  setSessionCookie(jwt: string, expiry: Date): void;
  setDeviceCookie(jwt: string, expiry: Date): void;
  clearSessionCookie(): void;
};

/** Returns the caller's IP address, past the proxies of `TRUST_PROXY`; `unknown` if a proxy sent no address. */
export function addressOf({ ip }: FastifyRequest): string {
  return ipAddressOf(ip) ?? UNKNOWN_ADDRESS;
}

export function createRequestContext(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  const { jwt, client } = sentSession(request);
  let found: Promise<Session | null> | undefined;
  const note = (facts: RequestFacts) => void Object.assign(request.facts, facts);
  const find = async () => {
    const current = jwt === null ? null : await services.sessions.find(jwt);
    if (current !== null) note({ account: current.id });
    return current;
  };
  const session = () => {
    found ??= find();
    return found;
  };
  const secondsUntil = (expiry: Date) => Math.round((expiry.getTime() - services.clock().getTime()) / 1_000);
  return {
    services,
    log: request.log,
    note,
    jwt,
    client,
    session,
    async requireSession() {
      const current = await session();
      if (current === null)
        throw new CodedError('UNAUTHENTICATED', signInAdvice(request.headers.authorization, jwt));
      return current;
    },
    address: addressOf(request),
    deviceJwt: deviceCookie.read(request),
    setSessionCookie: (newJwt, expiry) => sessionCookie.set(request, reply, newJwt, secondsUntil(expiry)),
    setDeviceCookie: (newJwt, expiry) => deviceCookie.set(request, reply, newJwt, secondsUntil(expiry)),
    clearSessionCookie: () => sessionCookie.clear(request, reply),
  };
}
