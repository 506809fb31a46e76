import type { FastifyReply, FastifyRequest } from 'fastify';

const STUDIO_ORIGIN = 'https://studio.apollographql.com';

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, *',
};

/**
 * A hook that lets Apollo Studio's pages, and those of no other site, ask from a developer's browser. Without cookies:
 * Studio sends the `jwt` of `login` in a header. The Sandbox that we serve ourselves does without this, for there it is our
 * own page that asks, on behalf of Apollo's frame in it (docs/decisions/0014-cross-site-requests.md).
 */
export async function allowApolloStudio(request: FastifyRequest, reply: FastifyReply) {
  reply.header('vary', 'origin');
  if (request.headers.origin === STUDIO_ORIGIN) reply.header('access-control-allow-origin', STUDIO_ORIGIN);
  if (request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send();
}
