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

/** What a proxy writes that knows none (RFC 7239, 6.2); also for whoever is gone. */
const UNKNOWN_ADDRESS = 'unknown';

/** What operations work with: the real things in the process, others in a test. */
export type Services = {
  signIn: SignIn;
  sessions: Sessions;
  provider: StreamProvider;
  stream: Stream;
  ledger: TokenLedger;
  clock: () => Date;
};

/** One request as the resolvers see it: the services, and who is asking. */
export type RequestContext = {
  services: Services;
  /** Carries the request's id. */
  log: FastifyBaseLogger;
  /** Adds to what the log tells of the request. */
  note(facts: RequestFacts): void;
  /** The JWT as sent, not yet believed. */
  jwt: string | null;
  /** By the way that a JWT is sent: a cookie or `Authorization`. */
  client: 'BROWSER' | 'TOOL';
  /** The session that it stands for, looked up once a request. */
  session(): Promise<Session | null>;
  /** The same, refusing with `UNAUTHENTICATED` where there is none. */
  requireSession(): Promise<Session>;
  /** Where the request comes from, as far as `TRUST_PROXY` says whom to believe; `unknown` where that is no address. */
  address: string;
  /** What the browser may be known by, not yet believed. */
  deviceJwt: string | null;
  setSessionCookie(jwt: string, expiry: Date): void;
  setDeviceCookie(jwt: string, expiry: Date): void;
  clearSessionCookie(): void;
};

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
  return {
    services,
    log: request.log,
    note,
    jwt,
    client,
    session,
    async requireSession() {
      const current = await session();
      if (current === null) throw new CodedError('UNAUTHENTICATED', 'Sign in first');
      return current;
    },
    address: ipAddressOf(request.ip) ?? UNKNOWN_ADDRESS,
    deviceJwt: deviceCookie.read(request),
    setSessionCookie: (newJwt, expiry) => sessionCookie.set(request, reply, newJwt, expiry),
    setDeviceCookie: (newJwt, expiry) => deviceCookie.set(request, reply, newJwt, expiry),
    clearSessionCookie: () => sessionCookie.clear(request, reply),
  };
}
