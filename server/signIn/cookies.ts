import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUDIENCES, type JwtSecrets, readJwt } from './signedJwt.ts';

export type Cookies = ReturnType<typeof createCookies>;

/**
 * Browsers send a host's cookies to each of its ports, so the names must differ from those of other programs there. Of
 * several cookies with our name the first one that we signed counts; if we signed none, the first.
 */
export function createCookies(secrets: JwtSecrets) {
  const isOwn = (audience: string) => (jwt: string) => readJwt(audience, jwt, secrets, null) !== null;
  return {
    session: hostCookie('audio_session', isOwn(AUDIENCES.session)),
    device: hostCookie('audio_device', isOwn(AUDIENCES.device)),
  };
}

function hostCookie(name: string, isOwn: (value: string) => boolean) {
  const isSecure = (request: FastifyRequest) => request.protocol === 'https';
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Host-${name}` : name);
  const optionsFor = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request) }) as const;
  return {
    read(request: FastifyRequest): string | null {
      const values = valuesOf(nameFor(request), request.headers.cookie ?? '');
      const own = values.length > 1 ? values.find(isOwn) : undefined;
      return own ?? values[0] ?? null;
    },
    set(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
      // A browser whose clock is ahead would drop a cookie with an `Expires` date.
      reply.setCookie(nameFor(request), value, { ...optionsFor(request), maxAge: maxAgeSeconds });
    },
  };
}

/** Returns all values of a name, which @fastify/cookie does not. Those of ours need no decoding. */
function valuesOf(name: string, header: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
