import type { ApolloServerPlugin } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FragmentDefinitionNode } from 'graphql';
import type { RequestContext } from './context.ts';
import { ipAddressOf } from './ipAddress.ts';
import { rootFields } from './operationRules.ts';

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

declare module 'fastify' {
  interface FastifyRequest {
    facts: RequestFacts;
  }
}

const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/;
const API_ROUTE = '/graphql';
const HEALTH_ROUTES = ['/healthz', '/readyz'];

/** Gives each request an id, told to the caller as `x-request-id`, and each answer of the API a line in the log. */
export function addRequestLog(app: FastifyInstance): void {
  app.decorateRequest('facts');
  app.addHook('onRequest', async (request, reply) => followRequest(request, reply));
  app.addHook('onSend', async ({ facts }, reply, payload) => {
    if (reply.statusCode >= 400 && facts.codes === undefined) Object.assign(facts, codesIn(reply, payload));
    return payload;
  });
}

/** The same for a request that is refused before any hook. The line comes also when the caller does not wait. */
export function followRequest(request: FastifyRequest, reply: FastifyReply): void {
  const startMs = performance.now();
  request.facts = {};
  reply.header('x-request-id', request.id);
  reply.raw.once('close', () => {
    const route = request.routeOptions.url;
    if (!isOfInterest(route, reply.statusCode)) return;
    const isAnswered = reply.raw.writableFinished;
    request.log.info(
      {
        method: request.method,
        // Never the path as sent: it may hold what belongs elsewhere.
        ...(route !== undefined && { route }),
        ...(isAnswered ? { status: reply.statusCode } : { callerLeft: true }),
        ms: Math.round((performance.now() - startMs) * 10) / 10,
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
export const operationFacts: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, operationName, document, contextValue }) {
        if (operation === undefined) return;
        const fragments = new Map<string, FragmentDefinitionNode>();
        for (const definition of document.definitions) {
          if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
        }
        const fields = rootFields(operation, (name) => fragments.get(name) ?? null);
        contextValue.note({ fields: [...new Set(fields)] });
        if (OPERATION_NAME.test(operationName ?? '')) contextValue.note({ operation: operationName });
      },
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const codes = (response.body.singleResult.errors ?? []).map(({ extensions }) =>
          String(extensions?.code),
        );
        if (codes.length > 0) contextValue.note({ codes: [...new Set(codes)] });
      },
    };
  },
};

/** Pages, files and health checks are not, unless refused. */
function isOfInterest(route: string | undefined, status: number): boolean {
  if (route === API_ROUTE) return true;
  return status >= 400 && !HEALTH_ROUTES.includes(route ?? '');
}
