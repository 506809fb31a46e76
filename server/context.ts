import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from './errors.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { clearSessionCookie, sessionTokenOf, setSessionCookie } from './sessions/sessionCookie.ts';
import type { Session, Sessions } from './sessions/sessions.ts';
import type { Stream } from './streamTokens/createStreamToken.ts';
import type { StreamProvider } from './streamTokens/provider.ts';

/** What operations work with: the real things in the process, others in a test. */
export type Services = {
  prisma: PrismaClient;
  sessions: Sessions;
  provider: StreamProvider;
  stream: Stream;
  clock: () => Date;
};

/** One request as the resolvers see it: the services, and who is asking. */
export type RequestContext = {
  services: Services;
  /** Carries the request's id. */
  log: FastifyBaseLogger;
  /** The JWT as sent, not yet believed. */
  jwt: string | null;
  /** The session that it stands for, looked up once a request. */
  session(): Promise<Session | null>;
  /** The same, refusing with `UNAUTHENTICATED` where there is none. */
  requireSession(): Promise<Session>;
  setSessionCookie(jwt: string, expiry: Date): void;
  clearSessionCookie(): void;
};

export function createRequestContext(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  const jwt = sessionTokenOf(request);
  let found: Promise<Session | null> | undefined;
  const session = () => {
    found ??= jwt === null ? Promise.resolve(null) : services.sessions.find(jwt);
    return found;
  };
  return {
    services,
    log: request.log,
    jwt,
    session,
    async requireSession() {
      const current = await session();
      if (current === null) throw new CodedError('UNAUTHENTICATED', 'Sign in first');
      return current;
    },
    setSessionCookie: (newJwt, expiry) => setSessionCookie(request, reply, newJwt, expiry),
    clearSessionCookie: () => clearSessionCookie(request, reply),
  };
}
