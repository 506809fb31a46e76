import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKey } from './accountKeys.ts';

/** Holds the session JWT. */
export const sessionCookie = hostCookie('session');

/** Holds the device JWT, by which a known browser is recognised; signing out keeps it. */
export const deviceCookie = hostCookie('device');

/** The session JWT or the key of a request, as sent; at most one of them is not null. */
export type SentSession = { jwt: string | null; key: string | null; client: 'TOOL' | 'BROWSER' };

/**
 * The session JWT of the request, from `Authorization: Bearer` (a tool) if there is one, otherwise from the cookie (a browser).
 * A tool may send a key instead; a cookie is never read as one. Ignores other schemes of `Authorization`: a proxy in front may
 * ask for a password of its own.
 */
export function sentSession(request: FastifyRequest): SentSession {
  const { authorization } = request.headers;
  if (authorization === undefined || !/^Bearer\b/i.test(authorization)) {
    return { jwt: sessionCookie.read(request), key: null, client: 'BROWSER' };
  }
  const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
  if (sent !== null && isKey(sent)) return { jwt: null, key: sent, client: 'TOOL' };
  return { jwt: sent, key: null, client: 'TOOL' };
}

/** A cookie for this host only, hidden from scripts and other sites; Secure and named `__Host-…` over https. */
function hostCookie(name: string) {
  const isSecure = (request: FastifyRequest) => request.protocol === 'https';
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Host-${name}` : name);
  const optionsFor = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request) }) as const;
  return {
    read: (request: FastifyRequest): string | null => request.cookies[nameFor(request)] ?? null,
    /** Sets the lifetime in seconds, because a browser whose clock is ahead would drop a cookie with an instant of expiry. */
    set(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
      reply.setCookie(nameFor(request), value, { ...optionsFor(request), maxAge });
    },
    clear(request: FastifyRequest, reply: FastifyReply): void {
      reply.clearCookie(nameFor(request), optionsFor(request));
    },
  };
}
