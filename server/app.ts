import { randomUUID } from 'node:crypto';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import fastifyCookie from '@fastify/cookie';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { FirebaseConfig } from './config/firebaseConfig.ts';
import { type Database, unavailableReason } from './database/database.ts';
import { refusal } from './errors.ts';
import { startGraphqlServer } from './graphql/apolloServer.ts';
import { allowApolloStudio } from './graphql/apolloStudio.ts';
import { createRequestContext, type Services } from './graphql/requestContext.ts';
import type { SandboxOptions } from './graphql/sandbox.ts';
import { notFound, serveClient } from './http/clientFiles.ts';
import { addErrorHandler, refuseConnection, refuseMethod } from './http/refusals.ts';
import { addHttpRules } from './http/requestRules.ts';
import {
  addSecurityHeaders,
  NO_PAGE_HEADERS,
  SANDBOX_CONTENT_SECURITY_POLICY,
} from './http/securityHeaders.ts';
import { addRequestLog, followRequest, type RequestObserver } from './observing/requestLog.ts';

export type AppOptions = {
  services: Services;
  database: Pick<Database, 'ping'>;
  logger: FastifyBaseLogger;
  sandbox: SandboxOptions;
  /** How many proxies stand in front: as many addresses of `X-Forwarded-For` are believed. */
  trustProxy: number;
  /** The built client's folder, null to serve the API alone. */
  clientFolder: string | null;
  /** Within how many milliseconds a request must have arrived whole; the default is 10 seconds. */
  requestTimeoutMs?: number;
  /** What the client's page hands to Firebase Analytics, null for none. */
  firebaseConfig: FirebaseConfig | null;
  /** Told what becomes of requests. */
  observer?: RequestObserver | undefined;
};

export const BODY_LIMIT_BYTES = 16 * 1024;
export const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node looks for connections that are over their time; its own 30 seconds would triple ours. */
const CONNECTION_CHECK_MS = 1_000;

/** The HTTP application, assembled and ready to listen. Closing it ends the requests under way first. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, database, logger, sandbox, observer, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy > 0 && ((_address, hop) => hop < options.trustProxy),
    bodyLimit: BODY_LIMIT_BYTES,
    // Without any hook: Fastify could not read the path.
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      followRequest(request, reply, observer);
      request.facts.codes = ['BAD_REQUEST'];
      reply.code(400).headers(NO_PAGE_HEADERS).send(refusal('The path cannot be read', 'BAD_REQUEST'));
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, logger),
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // Node's own answer is empty (httpRules.ts).
      requireHostHeader: false,
    },
  });

  addRequestLog(app, observer);
  if (options.trustProxy === 0) warnOfUnknownProxy(app);
  app.removeContentTypeParser('text/plain');
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!app.server.listening) reply.header('connection', 'close');
    done();
  });
  addSecurityHeaders(app, {
    streamBaseUrl: services.stream.baseUrl,
    analytics: options.firebaseConfig !== null,
  });
  addHttpRules(app);
  await app.register(fastifyCookie);
  addErrorHandler(app);

  const graphqlServer = await startGraphqlServer(sandbox, observer);
  app.addHook('onClose', () => graphqlServer.stop());
  app.route({
    method: sandbox === null ? ['GET', 'POST'] : ['GET', 'POST', 'OPTIONS'],
    url: '/graphql',
    onRequest: sandbox === null ? notFoundForPeople : allowApolloStudio,
    onSend: async (_request, reply, payload) => {
      const contentType = String(reply.getHeader('content-type'));
      if (sandbox !== null && contentType.startsWith('text/html')) {
        reply.header('content-security-policy', SANDBOX_CONTENT_SECURITY_POLICY);
      }
      reply.header('cache-control', 'no-store');
      return payload;
    },
    handler: fastifyApolloHandler(graphqlServer, {
      context: async (request, reply) => createRequestContext(services, request, reply),
    }),
  });

  app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/graphql', handler: refuseMethod });

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    if (!app.server.listening) return reply.code(503).send({ status: 'stopping' });
    try {
      await database.ping();
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ reason: unavailableReason(error) }, 'not ready: the database cannot be reached');
      return reply.code(503).send({ status: 'database unreachable' });
    }
  });

  if (options.clientFolder === null) app.setNotFoundHandler((_request, reply) => notFound(reply));
  else await serveClient(app, options.clientFolder, options.firebaseConfig);
  return app;
}

/** Says once that `TRUST_PROXY` may have been forgotten, for then all callers have one address and none comes by https. */
function warnOfUnknownProxy(app: FastifyInstance): void {
  let isSaid = false;
  app.addHook('onRequest', async ({ headers }) => {
    const header = ['X-Forwarded-For', 'X-Forwarded-Proto'].find((name) => name.toLowerCase() in headers);
    if (isSaid || header === undefined) return;
    isSaid = true;
    app.log.warn(
      `${header} arrives although TRUST_PROXY is 0: if a proxy stands in front, set it to the number of them`,
    );
  });
}

/** Shows the not-found page to a person who opens the API's address in a browser while Sandbox is off. */
async function notFoundForPeople(request: FastifyRequest, reply: FastifyReply) {
  if (request.method === 'GET' && request.headers.accept?.includes('text/html')) return reply.callNotFound();
}
