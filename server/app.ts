import { randomUUID } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { HEALTH_PATH, READY_PATH } from '../shared/paths.ts';
import type { Database } from './database/database.ts';
import { unavailableInWords } from './database/databaseErrors.ts';
import { RightsMissing } from './database/rights.ts';
import { refusal } from './errors.ts';
import { addGraphqlRoute, addSchemaRoute } from './graphql/graphqlRoute.ts';
import type { SandboxOptions } from './graphql/sandbox.ts';
import { notFound, type PageConfig, serveClient } from './http/clientFiles.ts';
import { addFairQueue, type FairQueue } from './http/fairQueue.ts';
import { addErrorHandler, type RefusedConnection, refuseConnection } from './http/refusals.ts';
import { addForwardedProtocol, addHttpRules, BODY_LIMIT_BYTES } from './http/requestRules.ts';
import { addSecurityHeaders, NO_PAGE_HEADERS } from './http/securityHeaders.ts';
import { addLiveRoute, plainLiveUrl } from './live/liveRoute.ts';
import { createLineLimit } from './observing/lineLimit.ts';
import { addRequestLog, followRequest, type RequestObserver } from './observing/requestLog.ts';
import type { Services } from './services.ts';

export type AppOptions = {
  services: Services;
  database: Pick<Database, 'ping'>;
  logger: FastifyBaseLogger;
  sandbox: SandboxOptions;
  trustProxy: number;
  clientFolder: string | null;
  requestTimeoutMs?: number;
  stalledTimeoutMs?: number;
  pageConfig: PageConfig;
  fairQueue?: FairQueue;
  observer?: RequestObserver | undefined;
  maxLinesPerMinute?: number;
};

const REQUEST_TIMEOUT_MS = 10_000;
/** A connection without traffic for this long is closed. Every answer takes less. */
const STALLED_TIMEOUT_MS = 30_000;
/** Overdue connections would last three times as long with Node's default of 30 s. */
const CONNECTION_CHECK_MS = 1_000;

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, database, logger, sandbox, observer, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const lineLimit = createLineLimit(logger, options.maxLinesPerMinute);
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    rewriteUrl: ({ url = '/' }) => plainLiveUrl(url),
    trustProxy: options.trustProxy > 0 && ((_address, hop) => hop < options.trustProxy),
    bodyLimit: BODY_LIMIT_BYTES,
    // Called for an unreadable path, for which Fastify runs no hook.
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      followRequest(request, reply, { observer, lineLimit });
      request.logFields.codes = ['BAD_REQUEST'];
      reply.code(400).headers(NO_PAGE_HEADERS).send(refusal('The path cannot be read', 'BAD_REQUEST'));
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, logRefusedConnection),
    requestTimeout: requestTimeoutMs,
    // Answers that are read, however slowly, prolong it.
    connectionTimeout: options.stalledTimeoutMs ?? STALLED_TIMEOUT_MS,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // Checked by requestRules.ts instead, because Node's own answer is empty.
      requireHostHeader: false,
    },
  });

  function logRefusedConnection(refused: RefusedConnection): void {
    if (lineLimit.allows(refused.address)) logger.info(refused, 'connection refused');
  }

  addRequestLog(app, { observer, lineLimit });
  app.addHook('onClose', async () => lineLimit.close());
  if (options.trustProxy === 0) warnOfUnknownProxy(app);
  else {
    warnOfMissingProxy(app, options.trustProxy);
    addForwardedProtocol(app, options.trustProxy);
  }
  // Fastify's only other default: a body must be JSON.
  app.removeContentTypeParser('text/plain');
  // During shutdown (http/drain.ts).
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!app.server.listening) reply.header('connection', 'close');
    done();
  });
  await addSecurityHeaders(app, {
    streamBaseUrl: services.stream.baseUrl,
    analytics: options.pageConfig.firebaseConfig !== null,
  });
  addHttpRules(app);
  await app.register(fastifyCookie);
  addErrorHandler(app);

  // Only the API and players wait in this queue: health checks, the page and its files are answered at once.
  await app.register(async (scope) => {
    addFairQueue(scope, options.fairQueue);
    await addGraphqlRoute(scope, { services, sandbox, observer });
    addLiveRoute(scope, services, observer);
  });

  addSchemaRoute(app);
  app.get(HEALTH_PATH, () => ({ status: 'ok' }));
  app.get(READY_PATH, async (request, reply) => {
    if (!app.server.listening) return reply.code(503).send({ status: 'stopping' });
    try {
      await database.ping();
      return { status: 'ready' };
    } catch (error) {
      const isReached = error instanceof RightsMissing;
      request.log.warn(
        { reason: unavailableInWords(error) },
        `not ready: the database cannot be ${isReached ? 'written to' : 'reached'}`,
      );
      return reply.code(503).send({ status: isReached ? 'database not writable' : 'database unreachable' });
    }
  });

  if (options.clientFolder === null) app.setNotFoundHandler((_request, reply) => notFound(reply));
  else await serveClient(app, options.clientFolder, options.pageConfig);
  return app;
}

function warnOfUnknownProxy(app: FastifyInstance): void {
  let isSaid = false;
  app.addHook('onRequest', async ({ headers }) => {
    const header = ['X-Forwarded-For', 'X-Forwarded-Proto'].find((name) => name.toLowerCase() in headers);
    if (isSaid || header === undefined) return;
    isSaid = true;
    app.log.warn(`${header} arrives although TRUST_PROXY is 0: set it to the number of proxies in front`);
  });
}

function warnOfMissingProxy(app: FastifyInstance, trustProxy: number): void {
  let isSaid = false;
  app.addHook('onRequest', async ({ headers, routeOptions }) => {
    // These are requested on the machine itself, not through the proxies.
    const isHealthCheck = [HEALTH_PATH, READY_PATH].includes(routeOptions.url ?? '');
    const addresses = [headers['x-forwarded-for'] ?? []].flat().join().split(',').filter(Boolean).length;
    if (isSaid || isHealthCheck || addresses >= trustProxy) return;
    isSaid = true;
    app.log.warn(
      `X-Forwarded-For holds ${addresses} address${addresses === 1 ? '' : 'es'} although TRUST_PROXY is ${trustProxy}: ` +
        'set it to the number of proxies, or callers can forge their address',
    );
  });
}
