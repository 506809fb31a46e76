import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GRAPHQL_PATH, SCHEMA_PATH } from '../../shared/paths.ts';
import { refuseMethod } from '../http/refusals.ts';
import { requireUtf8Address } from '../http/requestRules.ts';
import { acceptsJson, isBearer, wantsPage } from '../http/wantsPage.ts';
import type { RequestObserver } from '../observing/requestLog.ts';
import type { Services } from '../services.ts';
import { readSchema, startGraphqlServer } from './apolloServer.ts';
import { createRequestContext } from './requestContext.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';

const STUDIO_ORIGIN = 'https://studio.apollographql.com';

const SCHEMA_KEPT_SECONDS = 600;

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, *',
};

export async function addGraphqlRoute(
  app: FastifyInstance,
  {
    services,
    sandbox: sandboxOptions,
    observer,
  }: { services: Services; sandbox: SandboxOptions; observer: RequestObserver | undefined },
): Promise<void> {
  const sandbox = sandboxOptions === null ? null : createSandbox(sandboxOptions);
  const server = await startGraphqlServer(sandbox !== null, observer);
  app.addHook('onClose', () => server.stop());
  app.route({
    method: sandbox === null ? ['GET', 'POST'] : ['GET', 'POST', 'OPTIONS'],
    url: GRAPHQL_PATH,
    onRequest: async (request, reply) => {
      if (sandbox !== null) allowApolloStudio(request, reply);
      if (request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send();
      if (wantsPage(request)) {
        return sandbox === null ? reply.callNotFound() : sendSandbox(sandbox, reply);
      }
      // Apollo Server would refuse an `Accept` without JSON, but only after the operation.
      if (!acceptsJson(request)) delete request.headers.accept;
      if (request.method !== 'GET') return;
      await requireUtf8Address(request);
      // A GET with `authorization` passes the check against cross-site requests. Only a bearer token shows that no other
      // site's page sent it: browsers add Basic credentials, which a proxy asked for, by themselves.
      if (!isBearer(request.headers.authorization)) delete request.headers.authorization;
    },
    onSend: async (_request, reply, payload) => {
      reply.header('cache-control', 'no-store');
      return payload;
    },
    handler: fastifyApolloHandler(server, {
      context: async (request, reply) => createRequestContext(services, request, reply),
    }),
  });
  app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: GRAPHQL_PATH, handler: refuseMethod });
}

export function addSchemaRoute(app: FastifyInstance): void {
  const schema = readSchema();
  app.get(SCHEMA_PATH, (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', `public, max-age=${SCHEMA_KEPT_SECONDS}`)
      .send(schema),
  );
}

function sendSandbox({ page, contentSecurityPolicy }: Sandbox, reply: FastifyReply) {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy)
    .send(page);
}

/** Without cookies: Studio sends the JWT in a header. Our own Sandbox page needs no CORS. */
function allowApolloStudio(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'origin');
  if (request.headers.origin === STUDIO_ORIGIN) reply.header('access-control-allow-origin', STUDIO_ORIGIN);
}
