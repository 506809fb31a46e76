import type { FastifyReply, FastifyRequest } from 'fastify';

export const sessionCookie = hostCookie('session');

export const deviceCookie = hostCookie('device');

function hostCookie(name: string) {
  const isSecure = (request: FastifyRequest) => request.protocol === 'https';
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Host-${name}` : name);
  const optionsFor = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request) }) as const;
  return {
    read: (request: FastifyRequest): string | null => request.cookies[nameFor(request)] ?? null,
    set(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
      // A browser whose clock is ahead would drop a cookie with an `Expires` date.
      reply.setCookie(nameFor(request), value, { ...optionsFor(request), maxAge: maxAgeSeconds });
    },
  };
}
