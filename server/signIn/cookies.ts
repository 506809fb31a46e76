import type { FastifyReply, FastifyRequest } from 'fastify';

/** The browser's copy of the session's JWT. */
export const sessionCookie = hostCookie('session');

/** By what a browser is known again; it outlives signing out. */
export const deviceCookie = hostCookie('device');

/**
 * The JWT that the request carries, `Authorization: Bearer` when present, else the browser's cookie; and whose way that is.
 * Another scheme is for a proxy in between, which may ask browsers for a password of its own.
 */
export function sentSession(request: FastifyRequest): { jwt: string | null; client: 'TOOL' | 'BROWSER' } {
  const { authorization } = request.headers;
  if (authorization === undefined || !/^Bearer\b/i.test(authorization)) {
    return { jwt: sessionCookie.read(request), client: 'BROWSER' };
  }
  return { jwt: /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null, client: 'TOOL' };
}

/** A cookie for this host alone, out of reach of scripts and of other sites; `__Host-` over https. */
function hostCookie(name: string) {
  const isSecure = (request: FastifyRequest) => request.protocol === 'https';
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Host-${name}` : name);
  const optionsFor = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request) }) as const;
  return {
    read: (request: FastifyRequest): string | null => request.cookies[nameFor(request)] ?? null,
    set(request: FastifyRequest, reply: FastifyReply, value: string, expiry: Date): void {
      reply.setCookie(nameFor(request), value, { ...optionsFor(request), expires: expiry });
    },
    clear(request: FastifyRequest, reply: FastifyReply): void {
      reply.clearCookie(nameFor(request), optionsFor(request));
    },
  };
}
