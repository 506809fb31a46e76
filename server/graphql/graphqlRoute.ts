import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../http/ipAddress.ts';
import { refuseMethod } from '../http/refusals.ts';
import { SANDBOX_CONTENT_SECURITY_POLICY } from '../http/securityHeaders.ts';
import { createTurns } from '../http/turns.ts';
import type { RequestObserver } from '../observing/requestLog.ts';
import { networksOf } from '../signIn/networksOf.ts';
import { startGraphqlServer } from './apolloServer.ts';
import { createRequestContext, type Services } from './requestContext.ts';
import type { SandboxOptions } from './sandbox.ts';

const STUDIO_ORIGIN = 'https://studio.apollographql.com';

/** Of one network: about 10 ms of the event loop when all are refused. */
const MAX_STARTED_PER_TURN = 32;

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, *',
};

/** Serves the API at `/graphql`, and Apollo Sandbox there to browsers where it is on. */
export async function addGraphqlRoute(
  app: FastifyInstance,
  {
    services,
    sandbox,
    observer,
  }: { services: Services; sandbox: SandboxOptions; observer: RequestObserver | undefined },
): Promise<void> {
  const takeTurn = createTurns({ perTurn: MAX_STARTED_PER_TURN });
  const server = await startGraphqlServer(sandbox, observer);
  app.addHook('onClose', () => server.stop());
  app.route({
    method: sandbox === null ? ['GET', 'POST'] : ['GET', 'POST', 'OPTIONS'],
    url: '/graphql',
    preHandler: async (request) => takeTurn(networksOf(addressOf(request))),
    onRequest: sandbox === null ? showNotFoundPage : allowApolloStudio,
    onSend: async (_request, reply, payload) => {
      const contentType = String(reply.getHeader('content-type'));
      if (sandbox !== null && contentType.startsWith('text/html')) {
        reply.header('content-security-policy', SANDBOX_CONTENT_SECURITY_POLICY);
      }
      reply.header('cache-control', 'no-store');
      return payload;
    },
    handler: fastifyApolloHandler(server, {
      context: async (request, reply) => createRequestContext(services, request, reply),
    }),
  });
  app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/graphql', handler: refuseMethod });
}

/** Shows the not-found page to a person who opens the API's address in a browser while Sandbox is off. */
async function showNotFoundPage(request: FastifyRequest, reply: FastifyReply) {
  if (request.method === 'GET' && request.headers.accept?.includes('text/html')) return reply.callNotFound();
}

/**
 * Lets Apollo Studio's pages, and no other site's, call the API from a developer's browser, without cookies: Studio sends the
 * `jwt` of `login` in a header. Our own Sandbox page does not need it (docs/decisions/0014-cross-site-requests.md).
 */
async function allowApolloStudio(request: FastifyRequest, reply: FastifyReply) {
  reply.header('vary', 'origin');
  if (request.headers.origin === STUDIO_ORIGIN) reply.header('access-control-allow-origin', STUDIO_ORIGIN);
  if (request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send();
}
