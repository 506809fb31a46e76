import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME_OVER_HTTP = 'session';
const NAME_OVER_HTTPS = '__Host-session';

/** The JWT that the request carries: `Authorization: Bearer` when present, else the browser's cookie. */
export function sessionTokenOf(request: FastifyRequest): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
  return request.cookies[cookieName(request)] ?? null;
}

/** Hands the session to the browser, out of its scripts' reach. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  jwt: string,
  expiry: Date,
): void {
  reply.setCookie(cookieName(request), jwt, { ...cookieOptions(request), expires: expiry });
}

/** Takes the session from the browser. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), cookieOptions(request));
}

function cookieName(request: FastifyRequest): string {
  return request.protocol === 'https' ? NAME_OVER_HTTPS : NAME_OVER_HTTP;
}

function cookieOptions(request: FastifyRequest) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: request.protocol === 'https' } as const;
}
