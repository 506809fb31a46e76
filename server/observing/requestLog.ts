import type { ApolloServerPlugin } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FragmentDefinitionNode } from 'graphql';
import { rootFields } from '../graphql/operationLimits.ts';
import type { RequestContext } from '../graphql/requestContext.ts';
import { ipAddressOf } from '../http/ipAddress.ts';

/** What is learnt of a request on its way. Nothing of it is the caller's own text, but for an operation's name. */
export type RequestFacts = {
  /** The GraphQL operation's name. */
  operation?: string | null;
  /** The fields of the schema that it asks for. */
  fields?: string[];
  /** `extensions.code` of what failed. */
  codes?: string[];
  /** The id of the account that signs in, or is signed in. */
  account?: string;
};

/** Whoever counts what becomes of requests; told nothing that a caller wrote. */
export type RequestObserver = {
  /**
   * An answer is out, or its caller left before it was.
   * @param answer - `route` as the router knows it, undefined where none fits; `status` null when the caller left
   */
  onAnswer(answer: {
    method: string;
    route: string | undefined;
    status: number | null;
    durationMs: number;
  }): void;
  /**
   * A GraphQL operation is over, whether or not its caller still waits.
   * @param operation - `fields` of the schema that it asked for, empty where it was no operation of ours; `code` of its
   *   failure, null when all went well
   */
  onOperation(operation: { fields: string[]; code: string | null; durationMs: number }): void;
};

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/;
const API_ROUTE = '/graphql';
const HEALTH_ROUTES = ['/healthz', '/readyz'];

/** Gives each request an id, told to the caller as `x-request-id`, and each answer of the API a line in the log. */
export function addRequestLog(app: FastifyInstance, observer?: RequestObserver): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => followRequest(request, reply, observer));
  app.addHook('onSend', async ({ facts }, reply, payload) => {
    if (reply.statusCode >= 400 && facts.codes === undefined) Object.assign(facts, codesIn(reply, payload));
    return payload;
  });
}

/** The same for a request that is refused before any hook. The line comes also when the caller does not wait. */
export function followRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observer?: RequestObserver,
): void {
  const startMs = performance.now();
  request.facts = {};
  reply.header('x-request-id', request.id);
  reply.raw.once('close', () => {
    const durationMs = performance.now() - startMs;
    const route = request.routeOptions.url;
    const isAnswered = reply.raw.writableFinished;
    observer?.onAnswer({
      method: request.method,
      route,
      status: isAnswered ? reply.statusCode : null,
      durationMs,
    });
    if (!isOfInterest(route, reply.statusCode)) return;
    request.log.info(
      {
        method: request.method,
        // Never the path as sent: it may hold what belongs elsewhere.
        ...(route !== undefined && { route }),
        ...(isAnswered ? { status: reply.statusCode } : { callerLeft: true }),
        ms: Math.round(durationMs * 10) / 10,
        address: ipAddressOf(request.ip),
        ...request.facts,
      },
      'request',
    );
  });
}

/** The codes of a refusal that never came to GraphQL. */
function codesIn(reply: FastifyReply, payload: unknown): RequestFacts {
  if (typeof payload !== 'string' || !/json/.test(String(reply.getHeader('content-type')))) return {};
  const { errors } = JSON.parse(payload) as { errors?: Array<{ extensions?: { code?: string } }> };
  return errors === undefined ? {} : { codes: errors.map(({ extensions }) => String(extensions?.code)) };
}

/** Notes what GraphQL finds out: the operation, and how it failed. */
export function operationFacts(observer?: RequestObserver): ApolloServerPlugin<RequestContext> {
  return {
    async requestDidStart() {
      const startMs = performance.now();
      let fields: string[] = [];
      return {
        async didResolveOperation({ operation, operationName, document, contextValue }) {
          if (operation === undefined) return;
          const fragments = new Map<string, FragmentDefinitionNode>();
          for (const definition of document.definitions) {
            if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
          }
          fields = [...new Set(rootFields(operation, (name) => fragments.get(name) ?? null))];
          contextValue.note({ fields });
          if (OPERATION_NAME.test(operationName ?? '')) contextValue.note({ operation: operationName });
        },
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          const codes = (response.body.singleResult.errors ?? []).map(({ extensions }) =>
            String(extensions?.code),
          );
          if (codes.length > 0) contextValue.note({ codes: [...new Set(codes)] });
          observer?.onOperation({ fields, code: codes[0] ?? null, durationMs: performance.now() - startMs });
        },
      };
    },
  };
}

/** Pages, files and health checks are not, unless refused. */
function isOfInterest(route: string | undefined, status: number): boolean {
  if (route === API_ROUTE) return true;
  return status >= 400 && !HEALTH_ROUTES.includes(route ?? '');
}
