import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TokenClient } from '../generated/prisma/client.ts';
import { isKey } from './accountKeys.ts';

/** Holds the session JWT. */
export const sessionCookie = hostCookie('session');

/** Holds the device JWT, by which a known browser is recognised; signing out keeps it. */
export const deviceCookie = hostCookie('device');

/** The session JWT or the key of a request, not yet verified; at least one of them is null. */
export type SentSession = { jwt: string | null; key: string | null; client: TokenClient };

/**
 * Reads the session JWT or key of a request from `Authorization: Bearer` (a tool), or else the session JWT from the cookie (a
 * browser). A cookie never holds a key. Other schemes of `Authorization` are ignored, since a proxy in front may use them.
 */
export function sentSession(request: FastifyRequest): SentSession {
  const { authorization = '' } = request.headers;
  if (!isBearer(authorization)) return { jwt: sessionCookie.read(request), key: null, client: 'BROWSER' };
  const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
  if (sent !== null && isKey(sent)) return { jwt: null, key: sent, client: 'TOOL' };
  return { jwt: sent, key: null, client: 'TOOL' };
}

/** Returns whether `Authorization` is meant for this server. Other schemes may be a proxy's, and browsers send them by themselves. */
export function isBearer(authorization: string): boolean {
  return /^Bearer\b/i.test(authorization);
}

/** A cookie for this host only, hidden from scripts and other sites; Secure and named `__Host-…` over https. */
function hostCookie(name: string) {
  const isSecure = (request: FastifyRequest) => request.protocol === 'https';
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Host-${name}` : name);
  const optionsFor = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request) }) as const;
  return {
    read: (request: FastifyRequest): string | null => request.cookies[nameFor(request)] ?? null,
    /** @param maxAge - in seconds; a browser whose clock is ahead would drop a cookie with an `Expires` date */
    set(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
      reply.setCookie(nameFor(request), value, { ...optionsFor(request), maxAge });
    },
  };
}
